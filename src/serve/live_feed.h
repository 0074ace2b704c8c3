/* SPDX-License-Identifier: Apache-2.0 */
/* Samples of the devices' memory for browsers, as Server-Sent Events. A thread takes samples while someone watches; a slow
 * watcher misses samples but never holds up another. */
#ifndef TTMEM_SERVE_LIVE_FEED_H
#define TTMEM_SERVE_LIVE_FEED_H

#include "device/chip.h"
#include "serve/mhd.h"

struct live_feed;

/* `folder` and `chip` as for live_devices and top_view. */
struct live_feed *live_feed_new(const char *folder, const struct chip *chip, int interval_ms);

/* The stream of events. */
enum MHD_Result live_feed_answer(struct live_feed *feed, struct MHD_Connection *connection);

/* The page that shows them. */
enum MHD_Result live_page_answer(struct MHD_Connection *connection);

/* Ends all streams; call before the daemon is stopped. */
void live_feed_end(struct live_feed *feed);

/* Call after that. */
void live_feed_free(struct live_feed *feed);

#endif
