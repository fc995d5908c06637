/** Whether a profile is of the capture of graphs rather than of their run: most of what was launched became their nodes. */
import type { ProfileLine } from '../../../record/record.js';
import { GRAPH_CAPTURE_FACT } from '../../../record/fields/fact-names.js';
import { missingWorkOf } from '../../steps/missing-work.js';
import { workOf } from '../../steps/step-work.js';

export class GraphCaptureTest {
  /** ns during which graphs were captured. */
  #captured = 0;
  /** ns of work on devices. */
  #worked = 0;
  #hasReplay = false;

  take(record: ProfileLine): void {
    if (record.type === 'profile') this.#captured = Number(record.facts?.[GRAPH_CAPTURE_FACT] ?? 0);
    const work = workOf(record)?.record;
    if (work !== undefined) {
      if (work.type === 'graph' || work.graph !== undefined) this.#hasReplay = true;
      if (Number.isFinite(work.start)) this.#worked += work.dur ?? 0;
    } else if (missingWorkOf(record) !== null) this.#hasReplay = true;
  }

  get isCapture(): boolean {
    return !this.#hasReplay && this.#captured > this.#worked;
  }
}
