package main

// A pass looks at one file and notes edits in it. The types are those of the round
// before the pass.
type pass func(p *project, f *file)

// move moves the project to oid.ID. Each pass sees what the passes before it have made.
func (p *project) move() error {
	if err := p.begin(); err != nil {
		return err
	}
	if err := p.passes(
		rename,       // bson.ObjectID is oid.ID, bson.NewObjectID is oid.New
		assertions,   // v.(oid.ID) is bsoncodec.FromAny(v) or MustFromAny(v)
		typeSwitches, // case oid.ID is case oid.ID, bson.ObjectID
		mockedTypes(false),
		results, // res.InsertedID == id compares with MustFromAny(res.InsertedID)
	); err != nil {
		return err
	}
	if p.mapAny = p.decodesAny(); p.mapAny {
		p.placeRegistry()
	}
	if err := p.passes(
		clients, // SetRegistry(bsoncodec.NewRegistry()); with maps, the registry has MapAny
		packers, // bson.Marshal is bsoncodec.Marshal
		codecs,  // import _ mongov1, for driver v1
		printedResults,
	); err != nil {
		return err
	}
	return p.end(false)
}

// moveBack is move in the other direction.
func (p *project) moveBack() error {
	if err := p.begin(); err != nil {
		return err
	}
	if err := p.passes(
		unguard,
		unwrapConversions, // bson.ObjectID(id) is id
		unwrapConversions, // in another conversion
		backPackers,
		backClients,
		backSwitches,
		backAssertions,
		backTimes,
		backNames,
		mockedTypes(true),
	); err != nil {
		return err
	}
	return p.end(true)
}

// begin checks the project as it is, and keeps the errors: nobody is told of them again.
func (p *project) begin() error {
	if err := p.check(); err != nil {
		return err
	}
	p.findRegistry()
	p.known = map[string]bool{}
	for _, e := range p.errors() {
		p.known[e.why] = true
	}
	return nil
}

// passes runs passes over all files, one after the other.
func (p *project) passes(list ...pass) error {
	for _, pass := range list {
		if _, err := p.pass(pass); err != nil {
			return err
		}
	}
	return nil
}

// pass runs one pass over all files, and checks the project if it changed something.
func (p *project) pass(run pass) (bool, error) {
	changed, files := false, len(p.files)
	for _, f := range p.sortedFiles() {
		if f.now == nil || f.syntax == nil || f.generated {
			continue
		}
		run(p, f)
		c, err := f.apply()
		if err != nil {
			return false, err
		}
		changed = changed || c
	}
	if !changed && len(p.files) == files {
		return false, nil
	}
	return true, p.check()
}

// end inserts conversions until the type checker is quiet, and drops the imports that
// nothing uses now.
func (p *project) end(back bool) error {
	for range 8 {
		changed, err := p.pass(border(back))
		if err != nil {
			return err
		}
		if !changed {
			break
		}
	}
	drop := func(p *project, f *file) {
		if back || f.changed() {
			f.dropImports(back, oidPath, p.driver.bson, p.driver.codec, p.registry)
		}
	}
	if err := p.passes(drop); err != nil {
		return err
	}
	p.leaveGenerated(back)
	p.leaveErrors()
	for _, f := range p.files {
		if err := f.finish(); err != nil {
			return err
		}
	}
	return nil
}

// leaveGenerated lists the generated files that use the type that the project leaves.
func (p *project) leaveGenerated(back bool) {
	from := p.driver.bson
	if back {
		from = oidPath
	}
	for _, f := range p.sortedFiles() {
		if !f.generated {
			continue
		}
		for sel := range f.selectors(from) {
			if objectNames[sel.Sel.Name] {
				f.leave(sel, "this file is generated", "generate it again")
				break
			}
		}
	}
}
