package sequence

import "time"

// zoneName returns what names a time zone on every machine. It is the name in the IANA
// database, such as Europe/Berlin. A zone that has none, such as time.Local, is named by
// its offsets on 1 January and 1 July 2025, such as +01:00/+02:00. These stay what they
// are when a country changes its rules.
func zoneName(zone *time.Location) string {
	if zone == time.UTC {
		return "UTC"
	}
	offsets := offsetsOf(zone)
	if zone != time.Local {
		if named, err := time.LoadLocation(zone.String()); err == nil && named != time.UTC && offsetsOf(named) == offsets {
			return zone.String()
		}
	}
	if offsets == "Z" {
		return "UTC"
	}
	return offsets
}

func offsetsOf(zone *time.Location) string {
	january := time.Date(2025, 1, 1, 0, 0, 0, 0, zone).Format("Z07:00")
	july := time.Date(2025, 7, 1, 0, 0, 0, 0, zone).Format("Z07:00")
	if january == july {
		return january
	}
	return january + "/" + july
}
