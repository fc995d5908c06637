/** Types of device tasks that are not read, or read as kernels for want of a known type. */
import type { Diagnostics } from '../../../record/diagnostics.js';
import type { Labels } from '../../../record/record.js';

/** Names that are written at most. */
const MOST_NAMES = 20;

export class TaskTypes {
  /** Tasks around the tasks of a kernel or collective. */
  enclosing = 0;
  readonly notRead = new TypeCounts();
  readonly unknown = new TypeCounts();

  /** Counts them. @returns facts that name the types; undefined without any */
  facts(diagnostics: Diagnostics): Labels | undefined {
    diagnostics.count('task-passed-over', this.enclosing);
    diagnostics.count('task-not-read', this.notRead.tasks);
    diagnostics.count('kernel-of-unknown-type', this.unknown.tasks);
    const facts = {
      ...(this.notRead.tasks > 0 ? { task_types_not_read: this.notRead.names() } : undefined),
      ...(this.unknown.tasks > 0 ? { task_types_unknown: this.unknown.names() } : undefined),
    };
    return Object.keys(facts).length === 0 ? undefined : facts;
  }
}

class TypeCounts {
  readonly #types = new Set<string>();
  tasks = 0;

  add(type: string): void {
    this.tasks++;
    if (this.#types.size < MOST_NAMES) this.#types.add(type === '' ? 'none' : type);
  }

  names(): string {
    return [...this.#types].sort().join(', ');
  }
}
