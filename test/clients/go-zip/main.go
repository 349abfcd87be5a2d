// Makes a zip archive of a directory: with Go's own archive/zip, or with fastzip, as GitLab Runner does.
package main

import (
	"archive/zip"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/klauspost/compress/zstd"
	"github.com/saracen/fastzip"
)

func main() {
	if len(os.Args) != 4 {
		fail(fmt.Errorf("usage: %s archive|fast|fast-zstd|fast-store ARCHIVE DIRECTORY", os.Args[0]))
	}
	form, archive, root := os.Args[1], os.Args[2], os.Args[3]
	file, err := os.Create(archive)
	fail(err)
	switch form {
	case "archive":
		fail(writeArchive(file, root))
	case "fast":
		fail(writeFast(file, root, zip.Deflate))
	case "fast-zstd":
		fail(writeFast(file, root, zstd.ZipMethodWinZip))
	case "fast-store":
		fail(writeFast(file, root, zip.Store))
	default:
		fail(fmt.Errorf("unknown form %q", form))
	}
	fail(file.Close())
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func writeFast(file io.Writer, root string, method uint16) error {
	archiver, err := fastzip.NewArchiver(
		file,
		root,
		fastzip.WithArchiverMethod(method),
		fastzip.WithStageDirectory(os.TempDir()),
	)
	if err != nil {
		return err
	}
	files := map[string]os.FileInfo{}
	err = walk(root, func(path, _ string, info fs.FileInfo) error {
		files[path] = info
		return nil
	})
	if err != nil {
		return err
	}
	if err := archiver.Archive(context.Background(), files); err != nil {
		return err
	}
	return archiver.Close()
}

func writeArchive(file io.Writer, root string) error {
	writer := zip.NewWriter(file)
	err := walk(root, func(path, name string, info fs.FileInfo) error {
		header, err := zip.FileInfoHeader(info)
		if err != nil {
			return err
		}
		header.Name = name
		header.Method = zip.Deflate
		if info.IsDir() {
			header.Name += "/"
			header.Method = zip.Store
		}
		entry, err := writer.CreateHeader(header)
		if err != nil {
			return err
		}
		return writeContent(entry, path, info)
	})
	if err != nil {
		return err
	}
	return writer.Close()
}

func writeContent(entry io.Writer, path string, info fs.FileInfo) error {
	if info.IsDir() {
		return nil
	}
	if info.Mode()&fs.ModeSymlink != 0 {
		target, err := os.Readlink(path)
		if err != nil {
			return err
		}
		_, err = io.WriteString(entry, target)
		return err
	}
	content, err := os.Open(path)
	if err != nil {
		return err
	}
	defer content.Close()
	_, err = io.Copy(entry, content)
	return err
}

// Calls with each path below a directory, its name in the archive, and what it is; links are not followed.
func walk(root string, each func(path, name string, info fs.FileInfo) error) error {
	return filepath.WalkDir(root, func(path string, found fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := found.Info()
		if err != nil {
			return err
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		return each(path, filepath.ToSlash(name), info)
	})
}
