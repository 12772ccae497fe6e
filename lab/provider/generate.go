package provider

//go:generate ../../tools/gensdk/generate
