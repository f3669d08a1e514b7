// Command bench times cel-go on named expressions over typed variables.
//
// Without -only it prints one JSON table. With -only NAME -mode eval|compile -n N it does that work N times
// and nothing else, so that an instruction counter can take the difference of two runs.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"sort"
	"time"

	"krono.dev/xtask/go/celenv"
)

type settings struct {
	expressions, variables string
	samples                int
	sampleTime             time.Duration
	only, mode             string
	n                      int
}

func main() {
	var s settings
	flag.StringVar(&s.expressions, "expressions", "bench-expressions.json", "a JSON object of named expressions")
	flag.StringVar(&s.variables, "variables", "bench-variables.json", "a JSON object of variables")
	flag.IntVar(&s.samples, "samples", 5, "samples per figure; the median counts")
	flag.DurationVar(&s.sampleTime, "sample-time", 100*time.Millisecond, "how long one sample runs")
	flag.StringVar(&s.only, "only", "", "run this expression alone, without a clock")
	flag.StringVar(&s.mode, "mode", "eval", "with -only: eval or compile")
	flag.IntVar(&s.n, "n", 1, "with -only: how many times")
	flag.Parse()
	if err := run(&s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(s *settings) error {
	subjects, err := load(s)
	if err != nil {
		return err
	}
	if s.only != "" {
		return repeatOne(s, subjects)
	}
	table := struct {
		Expressions []figures `json:"expressions"`
	}{}
	for _, subject := range subjects {
		measured, err := measure(s, subject)
		if err != nil {
			return err
		}
		table.Expressions = append(table.Expressions, measured)
	}
	return json.NewEncoder(os.Stdout).Encode(table)
}

// load prepares every expression, in the order of their names.
func load(s *settings) ([]*subject, error) {
	var expressions map[string]string
	if err := readJSON(s.expressions, &expressions); err != nil {
		return nil, err
	}
	var decoded map[string]any
	if err := readJSON(s.variables, &decoded); err != nil {
		return nil, err
	}
	variables := map[string]any{}
	declared := map[string]celenv.Type{}
	for name, value := range decoded {
		variables[name] = native(value)
		declared[name] = typeOf(variables[name])
	}
	env, err := celenv.New(declared)
	if err != nil {
		return nil, err
	}
	var subjects []*subject
	for name, source := range expressions {
		prepared, err := prepare(env, name, source, variables)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, prepared)
	}
	sort.Slice(subjects, func(i, j int) bool { return subjects[i].name < subjects[j].name })
	return subjects, nil
}

func repeatOne(s *settings, subjects []*subject) error {
	for _, subject := range subjects {
		if subject.name != s.only {
			continue
		}
		switch s.mode {
		case "eval":
			return subject.evaluate(s.n)
		case "compile":
			return subject.compile(s.n)
		}
		return fmt.Errorf("-mode is eval or compile, not %q", s.mode)
	}
	return fmt.Errorf("no expression is named %q", s.only)
}
