// Package process runs programs that end with the one that started them, also where that one is killed.
package process
