/**
 * Preload (`node --import`): a process with tasks of a job that opens a file whose path matches DYING_AT ends as DYING_BY
 * says: a signal, an error code of the system, a number, with which the process exits, or `computing`: it never ends, and
 * hears no signal that has a handler.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const at = new RegExp(process.env.DYING_AT ?? '$^');
const by = process.env.DYING_BY ?? '';
const hasTasks = process.argv.some((word) => /^--tasks?$/.test(word));

/** @returns the error to fail with; null for any other file */
function strike(path) {
  if (!hasTasks || !at.test(String(path))) return null;
  if (by.startsWith('SIG')) process.kill(process.pid, by);
  else if (/^\d+$/.test(by)) process.exit(Number(by));
  while (by === 'computing');
  return Object.assign(new Error(`${by}: injected`), { code: by, syscall: 'open', path });
}

const { openSync, open } = fs;
fs.openSync = (path, ...args) => {
  const error = strike(path);
  if (error !== null) throw error;
  return openSync(path, ...args);
};
fs.open = (path, ...args) => {
  const error = strike(path);
  return error === null ? open(path, ...args) : args.at(-1)(error);
};
syncBuiltinESMExports();
