// Writes down what the libraries of the Kubernetes API server say about custom resource definitions.
//
// Each line of a file is a case: a definition that may replace an old one. Everything else on the line is what the
// API server made of it, and is rewritten.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sort"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// goldenCase is one line of a file.
type goldenCase struct {
	New json.RawMessage `json:"new"`
	Old json.RawMessage `json:"old,omitempty"`

	// What is wrong with the definition, or with the change to it.
	Errors []string `json:"errors,omitempty"`
}

var scheme = runtime.NewScheme()

func main() {
	log.SetFlags(0)
	install.Install(scheme)
	for _, path := range os.Args[1:] {
		if err := rewrite(path); err != nil {
			log.Fatalf("%s: %v", path, err)
		}
	}
}

func rewrite(path string) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	var output bytes.Buffer
	encoder := json.NewEncoder(&output)
	encoder.SetEscapeHTML(false)
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var input goldenCase
		if err := json.Unmarshal(lines.Bytes(), &input); err != nil {
			return err
		}
		result, err := ask(goldenCase{New: input.New, Old: input.Old})
		if err != nil {
			return fmt.Errorf("%s: %w", lines.Bytes(), err)
		}
		if err := encoder.Encode(result); err != nil {
			return err
		}
	}
	return os.WriteFile(path, output.Bytes(), 0o644)
}

func ask(asked goldenCase) (goldenCase, error) {
	ctx := context.Background()
	changed, err := read(asked.New)
	if err != nil {
		return asked, err
	}
	if asked.Old == nil {
		changed.Status = apiextensions.CustomResourceDefinitionStatus{}
		remember(changed)
		asked.Errors = sorted(validation.ValidateCustomResourceDefinition(ctx, changed))
		return asked, nil
	}
	old, err := read(asked.Old)
	if err != nil {
		return asked, err
	}
	changed.Status = old.Status
	remember(changed)
	asked.Errors = sorted(validation.ValidateCustomResourceDefinitionUpdate(ctx, changed, old))
	return asked, nil
}

// remember notes the storage version in the status, as the registry does before it validates.
func remember(crd *apiextensions.CustomResourceDefinition) {
	for _, version := range crd.Spec.Versions {
		if version.Storage {
			if !apiextensions.IsStoredVersion(crd, version.Name) {
				crd.Status.StoredVersions = append(crd.Status.StoredVersions, version.Name)
			}
			return
		}
	}
}

// read decodes a definition as the API server does.
func read(text []byte) (*apiextensions.CustomResourceDefinition, error) {
	external := &apiextensionsv1.CustomResourceDefinition{}
	if err := json.Unmarshal(text, external); err != nil {
		return nil, err
	}
	external.ResourceVersion = "1"
	scheme.Default(external)
	internal := &apiextensions.CustomResourceDefinition{}
	return internal, scheme.Convert(external, internal, nil)
}

func sorted(errors field.ErrorList) []string {
	var lines []string
	for _, err := range errors {
		lines = append(lines, err.Error())
	}
	sort.Strings(lines)
	return lines
}
