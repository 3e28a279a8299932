// SPDX-License-Identifier: GPL-2.0
/*
 * Fetch programs with any text: refused with a position in the text, or written back as a text that
 * means the same; run with any registers and memory as the obvious evaluator runs that text.
 *
 * The input has a byte for each word of the context, and a text.
 */

#include "../../lib/lang/fetch.h"

#include "../kunit/obvious.h"
#include "../kunit/random.h"
#include "fuzz.h"

static const char comm[16] = "0123456\"\\ text";

/* A word that points to memory, or is any number; the same byte gives the same one. */
static u64 word_of(u8 byte)
{
	return byte % 4 ? FETCH_MEMORY + byte / 4 : random_hash(byte);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	u64 context[FETCH_WORDS], payload[4], obvious[4] = { 0 }, seed = size;
	struct jtrace_refusal refusal = { "", U32_MAX };
	struct jtrace_program p, again;
	char text[512], back[2048], twice[2048];
	u32 i, faults, obvious_faults = 0;
	bool holds;

	if (size < FETCH_WORDS)
		return 0;
	for (i = 0; i < FETCH_WORDS; i++)
		context[i] = word_of(data[i]);
	/* Zeros, text, and pointers to each other. */
	for (i = 0; i < FETCH_BYTES; i += 8) {
		u64 word = word_of(random_next(&seed));

		memcpy(&fetch_memory[i], &word, 8);
	}
	memcpy(&fetch_memory[40], "\0dev\0eth0", 10);
	scnprintf(text, sizeof(text), "%.*s", (int)min_t(size_t, size - FETCH_WORDS, 511),
		  (const char *)data + FETCH_WORDS);

	if (!fetch_parse(&p, text, &refusal)) {
		must(*refusal.why && refusal.at <= strlen(text), "%s: at %u: %s", text, refusal.at,
		     refusal.why);
		return 0;
	}
	must(jtrace_program_text(&p, &fetch_context, back, sizeof(back)) < sizeof(back) - 1,
	     "%s", text);
	must(fetch_parse(&again, back, &refusal), "%s: %s: at %u: %s",
	     text, back, refusal.at, refusal.why);
	jtrace_program_text(&again, &fetch_context, twice, sizeof(twice));
	must(!strcmp(back, twice), "%s: %s: %s", text, back, twice);

	holds = fetch_run(&p, context, comm, payload, &faults);
	must(obvious_run(back, context, comm, obvious, &obvious_faults) == holds, "%s", back);
	must(faults == obvious_faults, "%s: %u, %u", back, faults, obvious_faults);
	must(!holds || !memcmp(payload, obvious, sizeof(payload)),
	     "%s: %llx %llx %llx %llx, %llx %llx %llx %llx", back, payload[0], payload[1],
	     payload[2], payload[3], obvious[0], obvious[1], obvious[2], obvious[3]);
	return 0;
}
