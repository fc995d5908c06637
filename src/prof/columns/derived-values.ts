/** Values of cells that are more than a field of the record. */
import type { Annotated } from '../annotate.js';

/** From the end of the launch call to the start of the kernel in ns; null when unknown or when the launch ended after it. */
export function queueTime({ record }: Annotated): number | null {
  if (record.launch === null) return null;
  const time = record.start - (record.launch.start + record.launch.dur);
  return time >= 0 ? time : null;
}
