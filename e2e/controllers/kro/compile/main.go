// Command compile measures how long kro takes to compile definitions: nanoseconds per compilation, as one JSON object.
//
// The kinds are those of a server, read once and kept, as kro keeps them.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/kubernetes-sigs/kro/api/v1alpha1"
	"github.com/kubernetes-sigs/kro/pkg/client"
	"github.com/kubernetes-sigs/kro/pkg/graph"
	"sigs.k8s.io/yaml"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
}

func run(files []string) error {
	set, err := client.NewSet(client.Config{QPS: 1000, Burst: 1000})
	if err != nil {
		return err
	}
	builder, err := graph.NewBuilder(set.RESTConfig(), set.HTTPClient())
	if err != nil {
		return err
	}
	measured := map[string]int64{}
	for _, file := range files {
		nanoseconds, err := measure(builder, file)
		if err != nil {
			return fmt.Errorf("%s: %w", file, err)
		}
		measured[strings.TrimSuffix(filepath.Base(file), ".yaml")] = nanoseconds
	}
	return json.NewEncoder(os.Stdout).Encode(measured)
}

func measure(builder *graph.Builder, file string) (int64, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, err
	}
	var definition v1alpha1.ResourceGraphDefinition
	if err := yaml.Unmarshal(text, &definition); err != nil {
		return 0, err
	}
	limits := graph.RGDConfig{MaxCollectionSize: 1000, MaxCollectionDimensionSize: 10}
	if _, err := builder.NewResourceGraphDefinition(&definition, limits); err != nil {
		return 0, err
	}
	result := testing.Benchmark(func(b *testing.B) {
		for b.Loop() {
			if _, err := builder.NewResourceGraphDefinition(&definition, limits); err != nil {
				b.Fatal(err)
			}
		}
	})
	return result.NsPerOp(), nil
}
