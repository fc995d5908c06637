/** Names of a summary's metrics. Source: the table Summary of AWS's profile schema reference, and real summaries. */

/** Names that no other format has. */
const ITS_OWN: readonly RegExp[] = [
  /^(?:tensor|vector|scalar|gpsimd|sync)_engine_(?:active_time|instruction_(?:count|time)|active_time_percent)$/,
  /^(?:static|software_dynamic|hardware_dynamic)_dma_/,
  /^dma_(?:active_|packet_|transfer_|queue_)/,
  /^(?:hbm|sbuf|psum)_(?:read|write)_/,
  /^(?:hfu|mfu|mbu)_[a-z_]+$/,
  /^(?:hardware|transpose|model)_flops$/,
  /^throttle_/,
  /^(?:neuroncore_cycle_count|mm_arithmetic_intensity|peak_flops_bandwidth_ratio|nc_idx|nd_idx)$/,
  /^inputs_and_weights_size|^spill_(?:save|reload)_bytes$/,
];

/** Names that other formats may have too. */
const COMMON = new Set([
  'total_time',
  'total_active_time',
  'total_active_time_percent',
  'event_count',
  'instance_type',
  'compiler_version',
  'runtime_version',
  'driver_version',
  'collectives_version',
  'profiler_version',
]);

/** Whether names are those of a summary: one that no other format has, or two that others may have. */
export function areMetrics(names: Iterable<string>): boolean {
  let common = 0;
  for (const name of names) {
    if (ITS_OWN.some((pattern) => pattern.test(name))) return true;
    if (COMMON.has(name)) common++;
  }
  return common > 1;
}
