/** The folder of a job: where its files are, and how each of them appears only when it is complete. */
import {
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { atEnd } from '../../../parse/input/cleanup.js';
import { isSystemError, systemReason, UserError } from '../../../record/errors.js';
import { JOB_PART } from './plan/merge-tree.js';
import { planText, readPlan, type JobPlan, type JobTask } from './plan/job-plan.js';
import { endedItself, type ProcessEnd } from './task-end.js';

/** Files and folders of a job. */
export const PLACES = {
  plan: 'tasks.jsonl',
  parts: 'parts',
  logs: 'logs',
  merges: 'merge',
  /** What is not complete. */
  work: 'work',
  slurm: 'slurm',
  report: 'report',
  part: JOB_PART,
  failed: 'failed.txt',
  /** The same for programs. */
  failures: 'failed.jsonl',
  lock: 'lock',
} as const;

/** Why a task has no part, or one of less than the profile. */
export interface TaskFailure extends ProcessEnd {
  /** One line. */
  readonly error: string;
  /** From the job's folder; null where nobody named it. */
  readonly log: string | null;
  /** Whether there is a part, of what stands before the place where the profile is cut off. */
  readonly isCut: boolean;
}

/** A folder for what is being made. */
export interface WorkFolder {
  readonly path: string;
  /** Moves a file in it to its place. @param place from the job's folder */
  move(file: string, place: string): void;
  dispose(): void;
}

export class JobFolder {
  /** @param path absolute */
  constructor(readonly path: string) {}

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Names in one of its folders; none where it is missing. */
  names(...folder: readonly string[]): string[] {
    return namesOrNone(this.at(...folder));
  }

  /** A text of it; null where there is none. */
  read(...names: readonly string[]): string | null {
    try {
      return readFileSync(this.at(...names), 'utf8');
    } catch (error) {
      if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
      throw error;
    }
  }

  /** A place for one process, which nobody else writes to; removed however the process ends, but for SIGKILL. */
  work(name: string): WorkFolder {
    mkdirSync(this.at(PLACES.work), { recursive: true });
    const path = mkdtempSync(this.at(PLACES.work, `${name}.`));
    const remove = (): void => rmSync(path, { recursive: true, force: true });
    // Not from outside, where nobody knows SIGKILL from other signals: what it ended comes last in the next process.
    const release = atEnd(remove);
    return {
      path,
      move: (file, place) => {
        mkdirSync(dirname(this.at(place)), { recursive: true });
        renameSync(join(path, file), this.at(place));
      },
      dispose: () => {
        remove();
        release();
      },
    };
  }

  /** Writes a small file, whole or not at all. @throws UserError where there is no room */
  write(place: string, text: string): void {
    this.#inWork(place, text, (work) => work.move('file', place));
  }

  remove(...names: readonly string[]): void {
    rmSync(this.at(...names), { recursive: true, force: true });
  }

  /** @throws UserError for a file that is no plan */
  plan(): JobPlan | null {
    const text = this.read(PLACES.plan);
    return text === null ? null : readPlan(text, this.at(PLACES.plan));
  }

  /** Writes the plan unless there is one. @returns whether there was none */
  writePlan(plan: JobPlan): boolean {
    let isNew = true;
    this.#inWork(PLACES.plan, planText(plan), (work) => {
      try {
        linkSync(join(work.path, 'file'), this.at(PLACES.plan));
      } catch (error) {
        if (!isSystemError(error)) throw error;
        isNew = error.code !== 'EEXIST';
        // File systems without hard links.
        if (isNew) work.move('file', PLACES.plan);
      }
    });
    return isNew;
  }

  /** Names of tasks with a part. */
  done(): ReadonlySet<string> {
    return new Set(this.#partNames('.part'));
  }

  /** Names of tasks that failed, at least once: those with a part may have succeeded since. */
  failed(): ReadonlySet<string> {
    return new Set(this.#partNames('.failed'));
  }

  /** Why a task failed when it ran last; null where it did not. */
  failure({ name }: Pick<JobTask, 'name'>): TaskFailure | null {
    const text = this.read(PLACES.parts, `${name}.failed`);
    return text === null ? null : failureOf(text);
  }

  writeFailure({ name }: JobTask, failure: TaskFailure): void {
    this.write(`${PLACES.parts}/${name}.failed`, `${JSON.stringify(failure)}\n`);
  }

  removeFailure({ name }: JobTask): void {
    this.remove(PLACES.parts, `${name}.failed`);
  }

  #partNames(ending: string): string[] {
    return this.names(PLACES.parts)
      .filter((name) => name.endsWith(ending))
      .map((name) => name.slice(0, -ending.length));
  }

  #inWork(place: string, text: string, put: (work: WorkFolder) => void): void {
    try {
      const work = this.work('file');
      try {
        writeFileSync(join(work.path, 'file'), text);
        put(work);
      } finally {
        work.dispose();
      }
    } catch (error) {
      if (!isSystemError(error)) throw error;
      throw new UserError(`cannot write: ${systemReason(error)}`, { where: this.at(place), code: error.code });
    }
  }
}

/** The path of a task's part, from the job's folder. */
export const partOf = ({ name }: Pick<JobTask, 'name'>): string => `${PLACES.parts}/${name}.part`;

function failureOf(text: string): TaskFailure {
  try {
    return JSON.parse(text) as TaskFailure;
  } catch {
    return { ...endedItself(null), error: 'failed', log: null, isCut: false };
  }
}

function namesOrNone(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return [];
    throw error;
  }
}
