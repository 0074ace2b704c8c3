/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/metrics.h"

#include <pthread.h>
#include <stdlib.h>

#include "base/mem.h"
#include "render/metrics/live_metrics.h"
#include "serve/answer.h"
#include "work/version.h"

struct serve_metrics {
    pthread_mutex_t lock;
    struct live_devices *live; /* a sample is valid until the next, so one at a time */
    struct scrape_errors errors;
    struct live_metrics_options options;
};

struct serve_metrics *serve_metrics_new(const struct chip *chip, bool no_process_labels) {
    struct serve_metrics *metrics = mem_zalloc(1, sizeof *metrics);
    pthread_mutex_init(&metrics->lock, NULL);
    metrics->live = live_devices_new(NULL);
    metrics->options = (struct live_metrics_options){chip, no_process_labels, version_number()};
    return metrics;
}

void serve_metrics_free(struct serve_metrics *metrics) {
    live_devices_free(metrics->live);
    pthread_mutex_destroy(&metrics->lock);
    free(metrics);
}

enum MHD_Result serve_metrics_answer(struct serve_metrics *metrics, struct MHD_Connection *connection) {
    struct strbuf text = {0};
    enum metrics_form form = metrics_accepted(mhd.lookup_connection_value(connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT));
    pthread_mutex_lock(&metrics->lock);
    live_devices_sample(metrics->live, true);
    live_metrics(&text, form, metrics->live, &metrics->options, &metrics->errors);
    pthread_mutex_unlock(&metrics->lock);
    struct MHD_Response *response = mhd.create_response_from_buffer(text.len, text.data, MHD_RESPMEM_MUST_FREE);
    if (!response) {
        strbuf_release(&text);
        return MHD_NO;
    }
    answer_headers(response, metrics_types[form]);
    enum MHD_Result rc = mhd.queue_response(connection, MHD_HTTP_OK, response);
    mhd.destroy_response(response);
    return rc;
}
