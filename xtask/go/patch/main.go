// Writes down what the libraries of the Kubernetes API server make of patches and of objects with several managers.
//
// The cases are made from a fixed seed, so that running the program again writes the same files.
package main

import (
	"bytes"
	"encoding/json"
	"log"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// How many cases there are of each kind.
const (
	jsonPatches      = 500
	mergePatches     = 150
	strategicPatches = 500
	stories          = 300
)

func main() {
	log.SetFlags(0)
	folder := os.Args[1]
	write(folder, "json.jsonl", jsonPatches, 1, jsonPatchCase)
	write(folder, "merge.jsonl", mergePatches, 2, mergePatchCase)
	write(folder, "strategic.jsonl", strategicPatches, 3, strategicPatchCase)
	write(folder, "apply.jsonl", stories, 4, story)
}

// patchCase is a document, a patch, and what came of it.
type patchCase struct {
	Document any    `json:"document"`
	Patch    any    `json:"patch"`
	Patched  any    `json:"patched,omitempty"`
	Error    string `json:"error,omitempty"`
}

func write[T any](folder, name string, count int, seed uint64, make func(*random) T) {
	var output bytes.Buffer
	encoder := json.NewEncoder(&output)
	encoder.SetEscapeHTML(false)
	source := &random{rand.New(rand.NewPCG(seed, seed))}
	for range count {
		if err := encoder.Encode(make(source)); err != nil {
			log.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(folder, name), output.Bytes(), 0o644); err != nil {
		log.Fatal(err)
	}
}

func marshal(value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		log.Fatal(err)
	}
	return text
}
