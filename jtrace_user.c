// SPDX-License-Identifier: GPL-2.0
/*
 * Entries from user space: the files marker and event.
 *
 * Each distinct tag needs a site.  It is made once and kept, so that a later line finds its number
 * there, and no lock is taken.  They stay until the module goes, so their number is limited.
 *
 * A program writes the same line with other values again and again.  So an event keeps the shape of
 * the line that made its site, and the next lines of this shape need no tag.  With six values, a
 * write takes 2,700 instructions, and by its tag 4,500.
 */

#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/jtrace.h>
#include <linux/jtrace_site.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/uaccess.h>

#include "jtrace_internal.h"
#include "lib/lang/user.h"

/**
 * struct kept_site - a site of a file
 * @site: the site
 * @hash: of its tag
 * @len: of its tag
 * @shape: of the line that made it; NULL if it was none of the file event
 * @tag: its tag
 */
struct kept_site {
	struct jtrace_site site;
	u32 hash;
	u32 len;
	struct jtrace_user_shape *shape;
	char tag[];
};

/**
 * struct user_line - a line that is written
 * @tag: its tag
 * @len: of its tag
 * @args: &jtrace_site.args
 * @text: the line
 * @event: its values; NULL if it is none of the file event
 */
struct user_line {
	const char *tag;
	u32 len;
	u32 args;
	const char *text;
	const struct jtrace_user_event *event;
};

/* Slots of a file: more than it has sites, a power of 2. */
#define SLOTS	512

/**
 * struct user_file - a file that records what is written to it
 * @name: of the file
 * @source: source file of its sites
 * @func: function of its sites
 * @kind: of its sites
 * @most: sites
 * @each: what takes a site, in plural, for the log
 * @nr: sites that are kept
 * @told: the log has said that no more sites are taken
 * @slot: sites by the hash of their tag, open addressing; set once, under the lock
 */
struct user_file {
	const char *name;
	const char *source;
	const char *func;
	u8 kind;
	u32 most;
	const char *each;
	u32 nr;
	bool told;
	struct kept_site *slot[SLOTS];
};

static struct user_file marker = {
	.name = "marker",
	.source = "marker",
	.func = "",
	.kind = JTRACE_SITE_CALL,
	.most = 64,
	.each = "distinct lines",
};

static struct user_file event = {
	.name = "event",
	.source = "user",
	.func = "event",
	.kind = JTRACE_SITE_PROBE,
	.most = 256,
	.each = "names with different fields",
};

/* Sites of the file event that were found last, by the hash of their names; a power of 2. */
#define RECENT	128

static struct kept_site *recent[RECENT];

/* How to make room for other tags. */
#ifdef MODULE
#define AGAIN	"reload jtrace to write new ones"
#else
#define AGAIN	"reboot to write new ones"
#endif

/* Serializes adding a site. */
static DEFINE_MUTEX(lock);

/* ---- Sites ------------------------------------------------------------ */

/* Find the site of a tag, or NULL; *@slot: where it is, or belongs. */
static struct kept_site *find_kept(struct user_file *file, const struct user_line *l, u32 hash,
				   u32 *slot)
{
	struct kept_site *kept;

	/* Pairs with keep(): what is found is whole.  Read once: a second read may find another. */
	for (*slot = hash % SLOTS; (kept = smp_load_acquire(&file->slot[*slot]));
	     *slot = (*slot + 1) % SLOTS)
		if (kept->hash == hash && kept->len == l->len && !memcmp(kept->tag, l->tag, l->len))
			break;
	return kept;
}

static void free_site(struct kept_site *kept)
{
	if (kept)
		kfree(kept->shape);
	kfree(kept);
}

static struct kept_site *make_site(const struct user_file *file, const struct user_line *l,
				   u32 hash)
{
	struct kept_site *kept = kzalloc(struct_size(kept, tag, l->len + 1), GFP_KERNEL);

	if (!kept)
		return ERR_PTR(-ENOMEM);
	if (l->event) {
		kept->shape = kmalloc(sizeof(*kept->shape), GFP_KERNEL);
		if (!kept->shape) {
			kfree(kept);
			return ERR_PTR(-ENOMEM);
		}
		jtrace_user_shape(kept->shape, l->text, l->event);
	}
	kept->site.tag = kept->tag;
	kept->site.file = file->source;
	kept->site.func = file->func;
	kept->site.args = l->args;
	kept->site.kind = file->kind;
	kept->hash = hash;
	kept->len = l->len;
	memcpy(kept->tag, l->tag, l->len + 1);
	return kept;
}

/* Make the site of a tag, unless somebody else has made it meanwhile, or there are too many. */
static struct kept_site *keep(struct user_file *file, const struct user_line *l, u32 hash)
{
	struct kept_site *kept;
	u32 slot;

	mutex_lock(&lock);
	kept = find_kept(file, l, hash, &slot);
	if (!kept && file->nr == file->most) {
		if (!file->told)
			pr_warn("%s: %u %s were written, no others are taken: " AGAIN "\n",
				file->name, file->most, file->each);
		file->told = true;
		kept = ERR_PTR(-ENOSPC);
	} else if (!kept) {
		kept = make_site(file, l, hash);
		if (!IS_ERR(kept)) {
			file->nr++;
			/* Pairs with find_kept(). */
			smp_store_release(&file->slot[slot], kept);
		}
	}
	mutex_unlock(&lock);
	return kept;
}

/* Find or make the site of a line; return it, or an error. */
static struct kept_site *get(struct user_file *file, const struct user_line *l)
{
	u32 hash = full_name_hash(NULL, l->tag, l->len), slot;

	return find_kept(file, l, hash, &slot) ?: keep(file, l, hash);
}

/* Record an entry, if recording is on. */
static void record(struct kept_site *kept, const struct jtrace_payload *p)
{
	if (static_branch_likely(&jtrace_key))
		jtrace_record(&kept->site, p->word[0], p->word[1], p->word[2], p->word[3]);
}

static void forget(struct user_file *file)
{
	u32 i;

	for (i = 0; i < SLOTS; i++)
		free_site(file->slot[i]);
}

/* ---- marker: a line is a tag ------------------------------------------ */

/* Take one line; the caller writes the rest again. */
static ssize_t marker_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	static const struct jtrace_payload none;
	char line[JTRACE_TAG_MAX + 2];
	size_t n = min(len, sizeof(line) - 1), end;
	struct kept_site *kept;

	if (copy_from_user(line, from, n))
		return -EFAULT;
	line[n] = 0;
	end = strcspn(line, "\n");
	if (!end || end > JTRACE_TAG_MAX || (end < n && !line[end]))
		return -EINVAL;
	line[end] = 0;
	/* Readers believe what jtrace itself records. */
	if (strstarts(line, "jtrace: "))
		return -EINVAL;
	kept = get(&marker, &(struct user_line){ .tag = line, .len = end });
	if (IS_ERR(kept))
		return PTR_ERR(kept);
	record(kept, &none);
	return min(n, end + 1);
}

static const struct file_operations marker_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = marker_write,
	.llseek = noop_llseek,
};

/* ---- event: a name and values ----------------------------------------- */

static ssize_t refuse(const char *line, const struct jtrace_refusal *refusal)
{
	pr_warn_ratelimited("event: %*pE: at character %u: %s\n", (int)strcspn(line, "\n"), line,
			    refusal->at + 1, refusal->why);
	return -EINVAL;
}

/* Why is there no newline at the end of a line of @taken bytes, of @n that were read? */
static const char *why_no_line(u32 taken, size_t n)
{
	return taken < n ? "a line has no NUL" :
	       taken > JTRACE_USER_LINE ? "a line has at most 255 bytes" : "expected a newline";
}

/* Where the site of a line may be that has the same name */
static struct kept_site **recent_of(const char *line)
{
	return &recent[full_name_hash(NULL, line, words_name_end(line) - line) % RECENT];
}

/* Parse a line; @n bytes were read.  Return its site, or an error. */
static struct kept_site *parse_line(const char *line, size_t n, struct jtrace_payload *payload,
				    u32 *taken)
{
	struct jtrace_refusal refusal;
	struct jtrace_user_event u;
	struct kept_site *kept;

	if (!jtrace_user_parse(&u, line, &refusal))
		return ERR_PTR(refuse(line, &refusal));
	if (line[u.taken] != '\n') {
		refusal = (struct jtrace_refusal) { why_no_line(u.taken, n), u.taken };
		return ERR_PTR(refuse(line, &refusal));
	}
	*payload = u.payload;
	*taken = u.taken;
	kept = get(&event, &(struct user_line){ u.tag, u.len, u.args, line, &u });
	/* Pairs with take_line(). */
	if (!IS_ERR(kept) && READ_ONCE(*recent_of(line)) != kept)
		smp_store_release(recent_of(line), kept);
	return kept;
}

/*
 * Take a line of at most @len bytes; return how many it has, with its newline.  Without one it may
 * be the first part of a line: a program that writes blocks of 4096 bytes cuts lines at their ends.
 */
static ssize_t take_line(const char __user *from, size_t len)
{
	size_t n = min_t(size_t, len, JTRACE_USER_LINE + 1);
	char line[JTRACE_USER_LINE + 2];
	struct jtrace_payload payload;
	struct kept_site *kept;
	u32 taken;

	if (copy_from_user(line, from, n))
		return -EFAULT;
	line[n] = 0;
	/* Pairs with parse_line(): what is found is whole, and stays. */
	kept = smp_load_acquire(recent_of(line));
	if (!kept || !jtrace_user_match(kept->shape, line, n, &payload, &taken))
		kept = parse_line(line, n, &payload, &taken);
	if (IS_ERR(kept))
		return PTR_ERR(kept);
	record(kept, &payload);
	return taken + 1;
}

/* Take all lines, up to the first that is refused. */
static ssize_t event_write(struct file *file, const char __user *from, size_t len, loff_t *pos)
{
	size_t done = 0;
	ssize_t n = 0;

	if (!jtrace_large_entries()) {
		pr_warn_once("event: jtrace has small entries, which hold one value: load it with use_large_entries=y\n");
		return -EOPNOTSUPP;
	}
	while (done < len) {
		n = take_line(from + done, len - done);
		if (n < 0)
			break;
		done += n;
		cond_resched();
	}
	return done ? (ssize_t)done : n;
}

static const struct file_operations event_fops = {
	.owner = THIS_MODULE,
	.open = simple_open,
	.write = event_write,
	.llseek = noop_llseek,
};

/* ---- Files ------------------------------------------------------------ */

/**
 * jtrace_user_files() - create the files
 * @dir: folder
 */
void jtrace_user_files(struct dentry *dir)
{
	debugfs_create_file("marker", 0200, dir, NULL, &marker_fops);
	debugfs_create_file("event", 0200, dir, NULL, &event_fops);
}

/**
 * jtrace_user_exit() - forget the sites; the files are gone, and no record is in progress
 */
void jtrace_user_exit(void)
{
	memset(recent, 0, sizeof(recent));
	forget(&marker);
	forget(&event);
}
