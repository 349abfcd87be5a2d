module go-zip

go 1.24

require (
	github.com/klauspost/compress v1.18.0
	github.com/saracen/fastzip v0.2.0
)

require (
	github.com/saracen/zipextra v0.0.0-20250129175152-f1aa42d25216 // indirect
	golang.org/x/sync v0.11.0 // indirect
	golang.org/x/sys v0.30.0 // indirect
)
