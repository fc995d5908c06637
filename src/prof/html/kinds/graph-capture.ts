/** Whether a profile is of the capture of graphs rather than of their run: most of what was launched became their nodes. */
import type { ProfileLine } from '../../../record/record.js';
import { GRAPH_CAPTURE_FACT } from '../../../record/fields/fact-names.js';
import { isDeviceActivity } from '../../input/device-activity.js';
import { missingWorkOf } from '../../steps/missing-work.js';
import { timedActivity } from '../timed-activity.js';

export class GraphCaptureTest {
  /** ns during which graphs were captured. */
  #captured = 0;
  /** ns of work on devices. */
  #worked = 0;
  #hasReplay = false;

  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#captured = Number(record.facts?.[GRAPH_CAPTURE_FACT] ?? 0);
    else if (isDeviceActivity(record)) {
      if (record.type === 'graph' || record.graph !== undefined) this.#hasReplay = true;
      const activity = timedActivity(record);
      if (activity !== null && activity.kind !== 'wait') this.#worked += activity.dur;
    } else if (missingWorkOf(record) !== null) this.#hasReplay = true;
  }

  get isCapture(): boolean {
    return !this.#hasReplay && this.#captured > this.#worked;
  }
}
