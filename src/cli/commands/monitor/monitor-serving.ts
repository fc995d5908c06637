/** `--listen` from the first report to the signal that ends it. */
import type { MonitorNotes } from './monitor-notes.js';
import { isStdin, type MonitorRequest } from './monitor-options.js';
import type { MonitorReading } from './monitor-output.js';
import { MonitorServer, type MonitorAddress } from './monitor-server.js';

const ENDS = ['SIGINT', 'SIGTERM'] as const;

/**
 * Serves the last report over HTTP, until a signal ends it or a pipe of reports does; the last report of a file stays.
 * @param start opens the input, which may wait for its first report
 * @throws UserError for an address that cannot be listened at, and for an input without reports
 */
export async function serve(
  request: MonitorRequest,
  address: MonitorAddress,
  start: () => Promise<MonitorReading>,
  notes: MonitorNotes,
): Promise<void> {
  // A file is opened first: one that cannot be read is never served.
  const file = isStdin(request.file) ? null : await start();
  const server = await MonitorServer.open(address);
  let end = (): void => undefined;
  const ended = new Promise<void>((resolve) => (end = resolve));
  for (const signal of ENDS) process.once(signal, end);
  notes.say(`serving ${server.url}`);
  let close = file?.close ?? ((): void => void process.stdin.destroy());
  const reading = async (): Promise<void> => {
    const sheet = request.format.open(request);
    const opened = file ?? (await start());
    ({ close } = opened);
    for await (const batch of opened.batches) for (const report of batch) server.text = sheet.report(report);
    if (file !== null) await ended;
  };
  const read = reading();
  // An input that is closed under its reader is no failure.
  void ended.then(() => read.catch(() => undefined));
  try {
    await Promise.race([read, ended]);
  } finally {
    close();
    await server.close();
    for (const signal of ENDS) process.off(signal, end);
  }
}
