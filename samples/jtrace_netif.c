// SPDX-License-Identifier: GPL-2.0
/* How to record a tracepoint of the kernel: here, the packets that one network device receives. */
#include <linux/jtrace_event.h>
#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <trace/events/net.h>

static char *dev = "lo";
module_param(dev, charp, 0444);
MODULE_PARM_DESC(dev, "name of the network device");

/* Event, tracepoint, its prototype, condition; then type, name and value of each field. */
JTRACE_EVENT_IF(netif_packet, netif_receive_skb,
	TP_PROTO(struct sk_buff *skb), !strcmp(skb->dev->name, dev),
	(u32, len, skb->len),
	(x16, protocol, ntohs(skb->protocol)),
	(u32, mark, skb->mark),
	(x64, skb, skb));

static struct jtrace_event *events[] = { &jtrace_event_netif_packet };
static struct jtrace_event_group group = JTRACE_EVENT_GROUP("netif", events);
module_jtrace_events(group);

MODULE_DESCRIPTION("Example of an event");
MODULE_LICENSE("GPL");
