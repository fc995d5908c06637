/**
 * Shows progress, only on a terminal: stderr must be a terminal, and the run must have taken half a second already. With
 * NO_COLOR or a dumb terminal, no escape sequences are sent.
 */
const FIRST_MS = 500;
const EVERY_MS = 100;

export interface Progress {
  /** @param done bytes or rows so far @param total their total number; null when unknown */
  at(done: number, total: number | null): void;
  /** Clears the line. */
  clear(): void;
}

/** A progress display that shows nothing. */
export const SILENT: Progress = { at: () => undefined, clear: () => undefined };

interface Terminal {
  readonly isTTY?: boolean;
  readonly columns?: number;
  write(text: string): unknown;
}

/** @param label name of the step; @param show false for a quiet run */
export function progress(
  label: string,
  show = true,
  terminal: Terminal = process.stderr,
  environment: NodeJS.ProcessEnv = process.env,
  now: () => number = () => performance.now(),
): Progress {
  if (!show || terminal.isTTY !== true) return SILENT;
  const plain = (environment['NO_COLOR'] ?? '') !== '' || environment['TERM'] === 'dumb';
  let next = now() + FIRST_MS;
  let shown = 0;
  const draw = (text: string): void => {
    const line = text.slice(0, Math.max(0, (terminal.columns ?? 80) - 1));
    terminal.write(plain ? `\r${line.padEnd(shown)}${line === '' ? '\r' : ''}` : `\r${line}\u001b[K`);
    shown = line.length;
  };
  return {
    at: (done, total) => {
      const time = now();
      if (time < next) return;
      next = time + EVERY_MS;
      draw(
        `${label}: ${total === null || total <= 0 ? amount(done) : `${Math.min(100, Math.floor((100 * done) / total))} %`}`,
      );
    },
    clear: () => {
      if (shown > 0) draw('');
    },
  };
}

const amount = (n: number): string => (n < 1e6 ? `${Math.floor(n / 1e3)} k` : `${Math.floor(n / 1e6)} M`);
