// SPDX-License-Identifier: GPL-2.0
/*
 * Images that zstd has compressed, as jtrace-archive(8) keeps them: RFC 8878, by libzstd.
 *
 * A frame can only be read from its beginning, and a reader of an image goes to any offset.  So
 * they are unpacked to memory, up to a limit: a file of a few bytes may unpack to terabytes.
 */

#include <err.h>
#include <errno.h>
#include <unistd.h>

#ifdef JTRACE_LIBZSTD
#include <zstd.h>
#endif

#include "image.h"

static bool is_packed(const struct source *s)
{
	static const u8 magic[] = { 0x28, 0xb5, 0x2f, 0xfd };
	u8 bytes[sizeof(magic)];

	return s->size > sizeof(bytes) && pread(s->fd, bytes, sizeof(bytes), 0) == sizeof(bytes) &&
	       !memcmp(bytes, magic, sizeof(magic));
}

#ifdef JTRACE_LIBZSTD

/**
 * struct unpack - what zstd unpacks
 * @stream: the state of libzstd
 * @to: what it unpacked, in memory
 * @left: 0 if a frame has ended
 * @damaged: nothing can be unpacked any more
 */
struct unpack {
	ZSTD_DStream *stream;
	struct source to;
	size_t left;
	bool damaged;
};

/* Unpack the next bytes of the file; false, after a message, if there is no room. */
static bool unpack_bytes(struct unpack *u, const void *bytes, size_t len)
{
	static char buf[1 << 16];
	ZSTD_inBuffer in = { bytes, len, 0 };
	ZSTD_outBuffer out;

	do {
		out = (ZSTD_outBuffer){ buf, sizeof(buf), 0 };
		u->left = ZSTD_decompressStream(u->stream, &out, &in);
		u->damaged = ZSTD_isError(u->left);
		if (u->damaged)
			return true;
		if (u->to.size + out.pos > IMAGE_MOST)
			return fail("%s: more than %llu bytes when it is unpacked: use zstd -d",
				    u->to.name, IMAGE_MOST);
		if (!source_append(&u->to, buf, out.pos))
			return false;
		/* At the end of a frame all of it was flushed. */
	} while (in.pos < in.size || (out.pos == out.size && u->left));
	return true;
}

/* What damage left is still worth reading: each chunk of an image has its own check value. */
static bool unpack_file(const struct source *s, struct unpack *u)
{
	static char bytes[1 << 16];
	size_t len;
	u64 at;

	for (at = 0; at < s->size && !u->damaged; at += len) {
		len = min((u64)sizeof(bytes), s->size - at);
		if (!source_read(s, at, bytes, len) || !unpack_bytes(u, bytes, len))
			return false;
	}
	if (!u->to.size)
		return fail("%s: damaged, nothing of it can be unpacked", s->name);
	if (u->damaged)
		warnx("%s: damaged, unpacked the first %llu bytes only: %s", s->name, u->to.size,
		      ZSTD_getErrorName(u->left));
	else if (u->left)
		warnx("%s: cut off, unpacked the first %llu bytes only", s->name, u->to.size);
	return true;
}

static bool replace_by_content(struct source *s)
{
	struct unpack u = { .stream = ZSTD_createDStream() };
	bool ok = source_memory(&u.to, s->name);

	if (ok && !u.stream)
		ok = fail("%s: no memory to unpack it", s->name);
	ok = ok && unpack_file(s, &u);
	ZSTD_freeDStream(u.stream);
	source_replace(s, &u.to);
	return ok;
}

/**
 * zstd_write() - compress bytes into a file
 * @from: the bytes
 * @len: number of them
 * @to: the file; it gets one frame, with a check value
 *
 * Return: false and errno on an error.
 */
bool zstd_write(const void *from, size_t len, FILE *to)
{
	static char buf[1 << 16];
	ZSTD_inBuffer in = { from, len, 0 };
	ZSTD_CCtx *c = ZSTD_createCCtx();
	bool ok = c && !ZSTD_isError(ZSTD_CCtx_setParameter(c, ZSTD_c_checksumFlag, 1));
	ZSTD_outBuffer out;
	size_t left = 1;

	errno = ENOMEM;
	while (ok && left) {
		out = (ZSTD_outBuffer){ buf, sizeof(buf), 0 };
		left = ZSTD_compressStream2(c, &out, &in, ZSTD_e_end);
		ok = !ZSTD_isError(left) && fwrite(buf, 1, out.pos, to) == out.pos;
	}
	ZSTD_freeCCtx(c);
	return ok;
}

#else

static bool replace_by_content(struct source *s)
{
	return fail("%s: compressed, and this jtrace was built without libzstd: use zstd -d", s->name);
}

#endif

/**
 * zstd_open() - replace a file that zstd has compressed by its content
 * @s: a regular file; any other content stays
 *
 * If the file is damaged or cut off, a warning says so, and the content is what comes before.
 *
 * Return: false, after a message, on an error.
 */
bool zstd_open(struct source *s)
{
	return !is_packed(s) || replace_by_content(s);
}
