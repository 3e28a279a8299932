#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
#
# busy - the storm, with all events of the kernel on: each hit is recorded or counted as lost
#
# sanitized: yes

EVENTS_ON=1
# shellcheck source=tests/selftests/storm.sh
. "$(dirname "$0")/storm.sh"
