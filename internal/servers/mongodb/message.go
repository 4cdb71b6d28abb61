package mongodb

import (
	"encoding/binary"

	"go.mongodb.org/mongo-driver/v2/bson"
)

// A message is a message of MongoDB's wire protocol, with its header:
//
//	int32 length, int32 requestID, int32 responseTo, int32 opCode
//
// In an OP_MSG, uint32 flags and sections follow. One section is of kind 0. It is a
// document whose first key is the command's name.
type message []byte

const (
	headerSize     = 16
	maxMessageSize = 48_000_000 // as mongod has it
	opMsg          = 2013

	flagMoreToCome = 1 << 1
)

// id returns the number that the sender gave m.
func (m message) id() int32 { return int32(binary.LittleEndian.Uint32(m[4:])) }

func (m message) isMsg() bool {
	return len(m) >= headerSize+5 && binary.LittleEndian.Uint32(m[12:]) == opMsg
}

// moreToCome reports whether request m asks for no answer, or whether answer m is not the
// last one.
func (m message) moreToCome() bool {
	return m.isMsg() && binary.LittleEndian.Uint32(m[headerSize:])&flagMoreToCome != 0
}

// wantAnswer makes the server answer request m.
func (m message) wantAnswer() {
	if m.isMsg() {
		flags := binary.LittleEndian.Uint32(m[headerSize:])
		binary.LittleEndian.PutUint32(m[headerSize:], flags&^flagMoreToCome)
	}
}

// command returns the name of the command that m holds, "" if it holds none.
func (m message) command() string {
	if !m.isMsg() {
		return "" // the first hello of a connection comes as an OP_QUERY
	}
	for rest := m[headerSize+4:]; len(rest) >= 5; {
		n := binary.LittleEndian.Uint32(rest[1:])
		if uint64(n) > uint64(len(rest)-1) {
			return ""
		}
		if kind := rest[0]; kind == 0 {
			first, err := bson.Raw(rest[1 : 1+n]).IndexErr(0)
			if err != nil {
				return ""
			}
			return first.Key()
		}
		rest = rest[1+n:]
	}
	return ""
}

// refusal returns an answer to request that is an error.
func refusal(request message, text string) message {
	doc, err := bson.Marshal(bson.D{
		{Key: "ok", Value: 0.0},
		{Key: "errmsg", Value: text},
		{Key: "code", Value: int32(96)},
		{Key: "codeName", Value: "OperationFailed"},
	})
	if err != nil {
		panic(err) // a document of constants and a text
	}
	m := make(message, headerSize+5, headerSize+5+len(doc))
	binary.LittleEndian.PutUint32(m[8:], binary.LittleEndian.Uint32(request[4:])) // responseTo
	binary.LittleEndian.PutUint32(m[12:], opMsg)
	m = append(m, doc...)
	binary.LittleEndian.PutUint32(m, uint32(len(m)))
	return m
}
