// SPDX-License-Identifier: GPL-2.0
/* Events of block devices. */

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/blktrace_api.h>
#include <trace/events/block.h>

#include "events.h"

/* A request of a driver itself may have no disk. */
static __always_inline const char *disk_name(const struct request *rq)
{
	return rq->q->disk ? rq->q->disk->disk_name : NULL;
}

JTRACE_EVENT(block_rq_issue,
	TP_PROTO(struct request *rq),
	(u32, nr_sector, blk_rq_trace_nr_sectors(rq)),
	(x32, cmd_flags, (__force u32)rq->cmd_flags),
	(string, dev, disk_name(rq)),
	(u64, sector, blk_rq_trace_sector(rq)));

JTRACE_EVENT(block_rq_complete,
	TP_PROTO(struct request *rq, blk_status_t error, unsigned int nr_bytes),
	(u32, nr_sector, nr_bytes >> 9),
	(u8, status, (__force u8)error),
	(string, dev, disk_name(rq)),
	(u64, sector, blk_rq_pos(rq)));

static struct jtrace_event *block_events[] = {
	&jtrace_event_block_rq_issue,
	&jtrace_event_block_rq_complete,
};

struct jtrace_event_group jtrace_group_block = JTRACE_EVENT_GROUP("block", block_events);
