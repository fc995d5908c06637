/** The largest resident set of this process since a moment; where the system cannot say that, since its start. */
import { writeFileSync } from 'node:fs';

let isResettable = true;

/** Linux forgets the peak when 5 is written to clear_refs (proc(5)). */
export function resetPeak(): void {
  if (!isResettable) return;
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    isResettable = false;
  }
}

/** Bytes. */
export const memoryPeak = (): number => process.resourceUsage().maxRSS * 1024;
