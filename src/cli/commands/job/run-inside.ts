/** A command of dprof within this process: how it ends, without ending the process. */
import { isSystemError, UserError } from '../../../record/errors.js';
import { outcome } from '../../bin/boundary.js';

export interface Ended {
  /** As the exit code of a process. */
  readonly code: number;
  /** The error that it ended with, in one line; null where it said what there was to say. */
  readonly error: string | null;
  /** The system's code, where that refused something. */
  readonly systemCode: string | null;
}

export async function runInside(run: () => Promise<void>): Promise<Ended> {
  const before = process.exitCode;
  process.exitCode = undefined;
  try {
    await run();
    return { code: exitCodeSet(), error: null, systemCode: null };
  } catch (error) {
    const { message, exitCode } = outcome(error);
    return { code: exitCode, error: message, systemCode: systemCodeOf(error) };
  } finally {
    process.exitCode = before;
  }
}

/** What the command has set; the compiler would take it for what was set before. */
const exitCodeSet = (): number => Number(process.exitCode ?? 0);

const systemCodeOf = (error: unknown): string | null =>
  error instanceof UserError ? (error.detail.code ?? null) : isSystemError(error) ? error.code : null;
