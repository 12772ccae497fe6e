package lab

import (
	"github.com/zclconf/go-cty/cty/function"
	"github.com/zclconf/go-cty/cty/function/stdlib"
)

// functions are what expressions of a lab file can call. All of them give the same result
// on every machine and at any time: a file means one lab.
var functions = map[string]function.Function{
	"abs":        stdlib.AbsoluteFunc,
	"ceil":       stdlib.CeilFunc,
	"coalesce":   stdlib.CoalesceFunc,
	"concat":     stdlib.ConcatFunc,
	"contains":   stdlib.ContainsFunc,
	"distinct":   stdlib.DistinctFunc,
	"flatten":    stdlib.FlattenFunc,
	"floor":      stdlib.FloorFunc,
	"format":     stdlib.FormatFunc,
	"join":       stdlib.JoinFunc,
	"keys":       stdlib.KeysFunc,
	"length":     stdlib.LengthFunc,
	"lookup":     stdlib.LookupFunc,
	"lower":      stdlib.LowerFunc,
	"max":        stdlib.MaxFunc,
	"merge":      stdlib.MergeFunc,
	"min":        stdlib.MinFunc,
	"parseint":   stdlib.ParseIntFunc,
	"pow":        stdlib.PowFunc,
	"range":      stdlib.RangeFunc,
	"replace":    stdlib.ReplaceFunc,
	"reverse":    stdlib.ReverseListFunc,
	"setproduct": stdlib.SetProductFunc,
	"sort":       stdlib.SortFunc,
	"split":      stdlib.SplitFunc,
	"upper":      stdlib.UpperFunc,
	"values":     stdlib.ValuesFunc,
	"zipmap":     stdlib.ZipmapFunc,
}
