/**
 * Preload (`node --import`): the n-th open, read, write or close of a file fails, or comes up short.
 *
 *   IO_FAULT=read:3:EIO IO_FAULT_MARK=FILE node --import ./failing-io.mjs bin/dparse.js …
 *
 * FILE is made when the fault has come. The program's own files are not counted, and SQLite's calls are not seen.
 */
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

const [operation, at, fault] = (process.env.IO_FAULT ?? '').split(':');
const mark = process.env.IO_FAULT_MARK ?? '';
const OWN = /[/\\](?:dist|build|bin|node_modules)[/\\]|package\.json$|\.mjs$|^\/proc\//;

const { writeFileSync } = fs;
/** Open files that the program reads or writes; standard output is one where the program writes to it as to a file. */
const counted = new Set([1]);
let calls = 0;

function comes(name) {
  if (name !== operation || ++calls !== Number(at)) return false;
  writeFileSync(mark, '');
  return true;
}

const failure = (syscall) => Object.assign(new Error(`${fault}: injected, ${syscall}`), { code: fault, syscall });

/** Wraps the form that returns and the form that calls back. */
function wrap(name, { counts, shortened, after }) {
  const [sync, callback] = [fs[`${name}Sync`], fs[name]];
  fs[`${name}Sync`] = (...args) => {
    if (!counts(args)) return sync(...args);
    const isFault = comes(name);
    if (isFault && fault !== 'short') {
      // What fails to close is closed all the same.
      if (name === 'close') sync(...args);
      throw failure(name);
    }
    const result = sync(...(isFault ? shortened(args) : args));
    after?.(args, result);
    return result;
  };
  fs[name] = (...args) => {
    if (!counts(args)) return callback(...args);
    const isFault = comes(name);
    const done = args.at(-1);
    if (isFault && fault !== 'short') {
      if (name === 'close') return callback(args[0], () => done(failure(name)));
      return setTimeout(() => done(failure(name)), 0);
    }
    const given = isFault ? shortened(args) : args;
    return callback(...given.slice(0, -1), (error, ...results) => {
      if (!error) after?.(args, ...results);
      done(error, ...results);
    });
  };
}

/** Half of the bytes asked for, at least one. */
function half([file, bytes, offset = 0, length = bytes.length - offset, ...rest]) {
  return [file, bytes, offset, Math.max(1, Math.floor(length / 2)), ...rest];
}

const ofCounted = ([file]) => counted.has(file);
wrap('open', {
  counts: ([path]) => typeof path === 'string' && !OWN.test(path),
  shortened: (args) => args,
  after: (_args, file) => counted.add(file),
});
wrap('read', { counts: ofCounted, shortened: half });
wrap('write', { counts: ofCounted, shortened: half });
wrap('close', { counts: ofCounted, shortened: (args) => args, after: ([file]) => counted.delete(file) });
syncBuiltinESMExports();
