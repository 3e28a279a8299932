// SPDX-License-Identifier: GPL-2.0
/* Events of the network. */

#include <linux/netdevice.h>
#include <linux/skbuff.h>
#include <linux/uaccess.h>
#include <trace/events/net.h>
#include <trace/events/skb.h>

#include "events.h"

JTRACE_EVENT(netif_receive_skb,
	TP_PROTO(struct sk_buff *skb),
	(u32, len, skb->len),
	(string, dev, skb->dev->name),
	(x64, skbaddr, skb));

JTRACE_EVENT(net_dev_start_xmit,
	TP_PROTO(const struct sk_buff *skb, const struct net_device *dev),
	(u32, len, skb->len),
	(x16, protocol, ntohs(skb->protocol)),
	(string, dev, dev->name),
	(x64, skbaddr, skb));

#if defined(JTRACE_HAS_KFREE_SKB_CONST_SOCK)
#define KFREE_SKB_PROTO							\
	TP_PROTO(struct sk_buff *skb, void *location, enum skb_drop_reason reason, \
		 const struct sock *rx_sk)
#elif defined(JTRACE_HAS_KFREE_SKB_SOCK)
#define KFREE_SKB_PROTO							\
	TP_PROTO(struct sk_buff *skb, void *location, enum skb_drop_reason reason, \
		 struct sock *rx_sk)
#else
#define KFREE_SKB_PROTO							\
	TP_PROTO(struct sk_buff *skb, void *location, enum skb_drop_reason reason)
#endif

#define NAME_BUFFER	((char [IFNAMSIZ]) { 0 })

/* The name of @skb->dev.  Protocols that own the skb store other things there. */
static __always_inline const char *dev_name_of(const struct sk_buff *skb, char *to)
{
	struct net_device *dev = skb->dev;
	u32 i;

	if (!dev || copy_from_kernel_nofault(to, dev->name, IFNAMSIZ))
		return NULL;
	for (i = 0; i < IFNAMSIZ && to[i]; i++)
		if (to[i] <= ' ' || to[i] > '~')
			return NULL;
	return i && i < IFNAMSIZ ? to : NULL;
}

JTRACE_EVENT(kfree_skb,
	KFREE_SKB_PROTO,
	(x16, protocol, ntohs(skb->protocol)),
	(u32, reason, reason),
	(string, dev, dev_name_of(skb, NAME_BUFFER)),
	(symbol, location, location));

static struct jtrace_event *net_events[] = {
	&jtrace_event_netif_receive_skb,
	&jtrace_event_net_dev_start_xmit,
	&jtrace_event_kfree_skb,
};

struct jtrace_event_group jtrace_group_net = JTRACE_EVENT_GROUP("net", net_events);
