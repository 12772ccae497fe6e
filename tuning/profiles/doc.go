// Package profiles is the language of tuning: what a tune block of a lab file says, what a
// profile says, and what the two make together. It ships the profiles of this
// directory.
//
// A value has a key, which is the words that lead to it, joined by slashes:
// "sysctl/net.core.somaxconn", "nic/ring/rx", "cpu/governor". A profile tunes the NICs that
// it is used on and knows no NIC by name.
//
// The package works on text. It must not know a lab, a host, or how a value is applied.
package profiles
