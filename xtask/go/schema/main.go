// Writes down what the libraries of the Kubernetes API server say about schemas and values.
//
// Each line of a file is a case: a schema, and a value that may replace an old one. Everything else on the line is
// what the API server made of it, and is rewritten. A case without a value is about the schema itself.
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
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	definition "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel/model"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/common"
)

// goldenCase is one line of a file.
type goldenCase struct {
	Schema json.RawMessage `json:"schema"`
	Value  json.RawMessage `json:"value,omitempty"`
	Old    json.RawMessage `json:"old,omitempty"`

	// What is wrong with the value.
	Errors []string `json:"errors,omitempty"`
	// What is wrong with the schema, where there is no value.
	Definition []string `json:"definition,omitempty"`
	// Fields that were removed, and what was left.
	Pruned []string `json:"pruned,omitempty"`
	Kept   any      `json:"kept,omitempty"`
	// What was left, with defaults.
	Defaulted any `json:"defaulted,omitempty"`
}

func main() {
	log.SetFlags(0)
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
		result, err := ask(goldenCase{Schema: input.Schema, Value: input.Value, Old: input.Old})
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
	var external apiextensionsv1.JSONSchemaProps
	if err := json.Unmarshal(asked.Schema, &external); err != nil {
		return asked, err
	}
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(&external, &props, nil); err != nil {
		return asked, err
	}
	if asked.Value == nil {
		asked.Definition = sorted(definition.ValidateCustomResourceDefinition(context.Background(), resource(&props)))
		return asked, nil
	}
	structural, err := schema.NewStructural(&props)
	if err != nil {
		return asked, err
	}
	var value, old any
	if err := utiljson.Unmarshal(asked.Value, &value); err != nil {
		return asked, err
	}
	if asked.Old != nil {
		if err := utiljson.Unmarshal(asked.Old, &old); err != nil {
			return asked, err
		}
	}
	errors, err := validate(&props, structural, value, old, asked.Old != nil)
	asked.Errors = sorted(errors)
	asked.prune(structural, value)
	return asked, err
}

// resource is a definition with this schema and nothing else of interest.
func resource(props *apiextensions.JSONSchemaProps) *apiextensions.CustomResourceDefinition {
	pruned := false
	crd := &apiextensions.CustomResourceDefinition{}
	crd.Name = "tests.example.com"
	crd.Spec = apiextensions.CustomResourceDefinitionSpec{
		Group:                 "example.com",
		Scope:                 apiextensions.NamespaceScoped,
		Names:                 apiextensions.CustomResourceDefinitionNames{Plural: "tests", Singular: "test", Kind: "Test", ListKind: "TestList"},
		Versions:              []apiextensions.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Storage: true}},
		Validation:            &apiextensions.CustomResourceValidation{OpenAPIV3Schema: props},
		Conversion:            &apiextensions.CustomResourceConversion{Strategy: apiextensions.NoneConverter},
		PreserveUnknownFields: &pruned,
	}
	crd.Status.StoredVersions = []string{"v1"}
	return crd
}

// validate does what the API server does for a create, or for an update of old.
func validate(props *apiextensions.JSONSchemaProps, structural *schema.Structural, value, old any, update bool) (field.ErrorList, error) {
	validator, _, err := validation.NewSchemaValidator(props)
	if err != nil {
		return nil, err
	}
	var errors field.ErrorList
	var options []cel.Option
	if update {
		correlated := common.NewCorrelatedObject(value, old, &model.Structural{Structural: structural})
		options = append(options, cel.WithRatcheting(correlated))
		errors = validation.ValidateCustomResourceUpdate(nil, value, old, validator, validation.WithRatcheting(correlated))
	} else {
		errors = validation.ValidateCustomResource(nil, value, validator)
	}
	errors = append(errors, objectmeta.Validate(nil, value, structural, false)...)
	if len(lists(structural, old)) == 0 {
		errors = append(errors, lists(structural, value)...)
	}
	rules := cel.NewValidator(structural, true, celconfig.PerCallLimit)
	if rules == nil {
		return errors, nil
	}
	if blocked(errors) {
		detail := "some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"
		return append(errors, field.Invalid(nil, nil, detail)), nil
	}
	found, _ := rules.Validate(context.Background(), nil, structural, value, old, celconfig.RuntimeCELCostBudget, options...)
	return append(errors, found...), nil
}

func lists(structural *schema.Structural, value any) field.ErrorList {
	fields, _ := value.(map[string]any)
	return listtype.ValidateListSetsAndMaps(nil, structural, fields)
}

// blocked says whether rules are left out, as the registry of custom resources has it.
func blocked(errors field.ErrorList) bool {
	for _, err := range errors {
		switch err.Type {
		case field.ErrorTypeNotSupported, field.ErrorTypeRequired, field.ErrorTypeTooLong, field.ErrorTypeTooMany, field.ErrorTypeTypeInvalid:
			return true
		}
	}
	return false
}

func (c *goldenCase) prune(structural *schema.Structural, value any) {
	kept := runtime.DeepCopyJSONValue(value)
	c.Pruned = pruning.PruneWithOptions(kept, structural, false, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
	c.Kept = kept
	defaulted := runtime.DeepCopyJSONValue(kept)
	defaulting.PruneNonNullableNullsWithoutDefaults(defaulted, structural)
	defaulting.Default(defaulted, structural)
	c.Defaulted = defaulted
}

func sorted(errors field.ErrorList) []string {
	var lines []string
	for _, err := range errors {
		lines = append(lines, err.Error())
	}
	sort.Strings(lines)
	return lines
}
