/** Does work with another folder for temporary files. */
export async function withTemporary<T>(folder: string, work: () => T | Promise<T>): Promise<T> {
  const before = process.env['TMPDIR'];
  process.env['TMPDIR'] = folder;
  try {
    return await work();
  } finally {
    if (before === undefined) delete process.env['TMPDIR'];
    else process.env['TMPDIR'] = before;
  }
}
