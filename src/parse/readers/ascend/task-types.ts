/** Device tasks that are no activities of their own, or kernels for want of a known type. */
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels } from '../../../record/record.js';
import { KindCounts } from '../../unread-events.js';

export class TaskTypes {
  /** Tasks around the tasks of a kernel or collective. */
  enclosing = 0;
  readonly unknown = new KindCounts();

  /** Counts them. @returns facts that name the unknown types */
  facts(diagnostics: Diagnostics): Labels {
    const { total } = this.unknown;
    diagnostics.count('task-passed-over', this.enclosing);
    diagnostics.count('kernel-of-unknown-type', total);
    return total === 0 ? {} : { task_types_unknown: String(this.unknown) };
  }
}
