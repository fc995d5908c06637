/** The folder of a job: where its files are. Each file appears only when it is complete. */
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
  /** Folder for files that are not complete. */
  work: 'work',
  slurm: 'slurm',
  report: 'report',
  part: JOB_PART,
  failed: 'failed.txt',
  /** List of the failures as JSON lines. */
  failures: 'failed.jsonl',
  lock: 'lock',
} as const;

/** Why a task has no partial answer, or only a partial answer for the first part of its profile. */
export interface TaskFailure extends ProcessEnd {
  /** The error in one line. */
  readonly error: string;
  /** Path of the log in the job's folder; null when it is unknown. */
  readonly log: string | null;
  /** Whether there is a partial answer, made from the part before the place where the profile is cut off. */
  readonly isCut: boolean;
}

/** A folder for files in progress. */
export interface WorkFolder {
  readonly path: string;
  /** Moves a finished file to its place. @param place path in the job's folder */
  move(file: string, place: string): void;
  dispose(): void;
}

export class JobFolder {
  /** @param path absolute path */
  constructor(readonly path: string) {}

  at(...names: readonly string[]): string {
    return join(this.path, ...names);
  }

  /** Names of files in one of its folders; none when the folder is missing. */
  names(...folder: readonly string[]): string[] {
    return namesOrNone(this.at(...folder));
  }

  /** Reads a text file; null when it does not exist. */
  read(...names: readonly string[]): string | null {
    try {
      return readFileSync(this.at(...names), 'utf8');
    } catch (error) {
      if (isSystemError(error) && (error.code === 'ENOENT' || error.code === 'ENOTDIR')) return null;
      throw error;
    }
  }

  /** Makes a folder that only one process writes to. It is removed however the process ends, except after SIGKILL. */
  work(name: string): WorkFolder {
    mkdirSync(this.at(PLACES.work), { recursive: true });
    const path = mkdtempSync(this.at(PLACES.work, `${name}.`));
    const remove = (): void => rmSync(path, { recursive: true, force: true });
    // A remover process cannot do this, as it cannot tell SIGKILL from other signals. The leftover folder tells the next
    // process which task killed the last one, so that this task runs last.
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

  /** Writes a small file, either completely or not at all. @throws UserError when there is no room */
  write(place: string, text: string): void {
    this.#inWork(place, text, (work) => work.move('file', place));
  }

  remove(...names: readonly string[]): void {
    rmSync(this.at(...names), { recursive: true, force: true });
  }

  /** Reads the plan; null when there is none. @throws UserError for a file that is not a plan */
  plan(): JobPlan | null {
    const text = this.read(PLACES.plan);
    return text === null ? null : readPlan(text, this.at(PLACES.plan));
  }

  /** Writes the plan unless one exists. @returns whether it was written */
  writePlan(plan: JobPlan): boolean {
    let isNew = true;
    this.#inWork(PLACES.plan, planText(plan), (work) => {
      try {
        linkSync(join(work.path, 'file'), this.at(PLACES.plan));
      } catch (error) {
        if (!isSystemError(error)) throw error;
        isNew = error.code !== 'EEXIST';
        // This is for file systems without hard links.
        if (isNew) work.move('file', PLACES.plan);
      }
    });
    return isNew;
  }

  /** Names of tasks with a partial answer. */
  done(): ReadonlySet<string> {
    return new Set(this.#partNames('.part'));
  }

  /** Names of tasks that failed at least once; those with a partial answer may have succeeded since. */
  failed(): ReadonlySet<string> {
    return new Set(this.#partNames('.failed'));
  }

  /** Why a task failed in its last run; null when it did not fail. */
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

/** The path of a task's partial answer in the job's folder. */
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
