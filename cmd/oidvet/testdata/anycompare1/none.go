package anycompare1

// This file needs no import.
func none() bool {
	return inserted().InsertedID == made() // want `compare with mongov1.Same`
}
