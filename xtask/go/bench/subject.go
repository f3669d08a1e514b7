package main

import (
	"fmt"
	"runtime"
	"slices"
	"time"

	"github.com/google/cel-go/cel"
)

// subject is one expression, ready to be evaluated or compiled again.
type subject struct {
	name, source string
	env          *cel.Env
	program      cel.Program
	activation   cel.Activation
}

// figures is one row of the table; compiling is parsing and checking, without cel-go's program step.
type figures struct {
	Name        string  `json:"name"`
	EvalNs      float64 `json:"eval_ns"`
	CompileNs   float64 `json:"compile_ns"`
	Allocations float64 `json:"allocations"`
}

func prepare(env *cel.Env, name, source string, variables map[string]any) (*subject, error) {
	ast, issues := env.Compile(source)
	if issues.Err() != nil {
		return nil, fmt.Errorf("%s: %w", name, issues.Err())
	}
	program, err := env.Program(ast)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	activation, err := cel.NewActivation(variables)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &subject{name: name, source: source, env: env, program: program, activation: activation}, nil
}

func (s *subject) evaluate(n int) error {
	for range n {
		if _, _, err := s.program.Eval(s.activation); err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
	}
	return nil
}

func (s *subject) compile(n int) error {
	for range n {
		if _, issues := s.env.Compile(s.source); issues.Err() != nil {
			return fmt.Errorf("%s: %w", s.name, issues.Err())
		}
	}
	return nil
}

func measure(settings *settings, s *subject) (figures, error) {
	evalNs, err := nanoseconds(settings, s.evaluate)
	if err != nil {
		return figures{}, err
	}
	compileNs, err := nanoseconds(settings, s.compile)
	if err != nil {
		return figures{}, err
	}
	allocations, err := allocations(s.evaluate)
	return figures{Name: s.name, EvalNs: evalNs, CompileNs: compileNs, Allocations: allocations}, err
}

// nanoseconds is the median of the samples, per call; finding the count to run is the warm-up.
func nanoseconds(settings *settings, work func(int) error) (float64, error) {
	n, err := countFor(settings.sampleTime, work)
	if err != nil {
		return 0, err
	}
	samples := make([]float64, max(settings.samples, 1))
	for i := range samples {
		start := time.Now()
		if err := work(n); err != nil {
			return 0, err
		}
		samples[i] = float64(time.Since(start).Nanoseconds()) / float64(n)
	}
	slices.Sort(samples)
	return samples[len(samples)/2], nil
}

func countFor(wanted time.Duration, work func(int) error) (int, error) {
	for n := 1; ; n *= 2 {
		start := time.Now()
		if err := work(n); err != nil {
			return 0, err
		}
		if elapsed := time.Since(start); elapsed >= wanted/2 {
			return max(1, int(float64(n)*float64(wanted)/float64(elapsed))), nil
		}
	}
}

func allocations(work func(int) error) (float64, error) {
	const calls = 1000
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err := work(calls)
	runtime.ReadMemStats(&after)
	return float64(after.Mallocs-before.Mallocs) / calls, err
}
