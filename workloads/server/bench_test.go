package server

import (
	"testing"

	"github.com/valyala/fasthttp"
)

// BenchmarkFramework is the framework tax in process: a handler called on a request that
// was parsed already. benchstat -col /framework compares.
func BenchmarkFramework(b *testing.B) {
	for _, name := range []string{"fasthttp", "fiber"} {
		b.Run("framework="+name, func(b *testing.B) {
			handler := frameworks[name]()
			var ctx fasthttp.RequestCtx
			ctx.Request.SetRequestURI("http://a/health")
			b.ReportAllocs()
			for b.Loop() {
				ctx.Response.Reset()
				handler(&ctx)
			}
			if ctx.Response.StatusCode() != fasthttp.StatusOK {
				b.Fatalf("status %d", ctx.Response.StatusCode())
			}
		})
	}
}
