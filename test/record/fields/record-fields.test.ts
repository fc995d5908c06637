import { expect } from 'chai';
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { RECORD_FIELDS } from '../../../src/record/fields/record-fields.js';
import { itWithProcess } from '../../support/sets.js';
import { ROOT } from '../../support/shared.js';

const DESCRIPTION = readFileSync(join(ROOT, 'docs/record.md'), 'utf8');

/** Types whose values are, for each field, whether a record may lack it and whether it may be null. */
const SHAPES = `
import type { ProfileLine } from '${join(ROOT, 'src/record/record.js')}';
type Of<T> = Extract<ProfileLine, { readonly type: T }>;
type IsUnion<T, All = T> = T extends unknown ? ([All] extends [T] ? false : true) : never;
/** Lines of partial answers have several types and no columns. */
type TypeOf<L> = L extends { readonly type: infer T extends string } ? (IsUnion<T> extends true ? never : T) : never;
type Shape<T> = {
  [K in Exclude<keyof T, 'type'>]-?: [{} extends Pick<T, K> ? boolean : false, null extends T[K] ? true : false];
};
export const types: { [T in TypeOf<ProfileLine>]: Shape<Of<T>> } =`;

/** What the compiler says of a table of fields against the interfaces; '' where they agree. */
function complaints(fields: unknown): string {
  const folder = mkdtempSync(join(tmpdir(), 'dparse-test-'));
  try {
    writeFileSync(join(folder, 'shapes.mts'), `${SHAPES} ${JSON.stringify(fields)};\n`);
    const compilerOptions = { strict: true, noEmit: true, module: 'nodenext', target: 'es2022', types: [] };
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['shapes.mts'] }));
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    return spawnSync(process.execPath, [tsc, '-p', folder], { cwd: ROOT, encoding: 'utf8' }).stdout;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

type Shapes = Record<string, Record<string, [optional: boolean, nullable: boolean]>>;

const listed = (): Shapes =>
  Object.fromEntries(
    Object.entries(RECORD_FIELDS).map(([type, fields]) => [
      type,
      Object.fromEntries(fields.map(({ name, optional, isValid }) => [name, [optional, isValid(null)]])),
    ]),
  );

describe('the fields of records', () => {
  itWithProcess('are those of the interfaces, optional and null where these say so', () => {
    expect(complaints(listed())).to.equal('');
  });

  itWithProcess('would not be with one more, and one fewer, and one that may be null', () => {
    const shapes = listed();
    const wrong: Shapes = {
      ...shapes,
      kernel: { ...shapes['kernel'], more: [false, false] },
      copy: { ...shapes['copy'], bytes: [true, false] },
      end: {},
    };
    expect(complaints(wrong))
      .to.match(/"more"' does not exist in type 'Shape<KernelLine>'/)
      // `bytes` of a copy is never missing, and may be null.
      .and.to.match(/Type 'true' is not assignable to type 'false'/)
      .and.to.match(/Type 'false' is not assignable to type 'true'/)
      .and.to.match(/counts/);
  });

  for (const [type, fields] of Object.entries(RECORD_FIELDS)) {
    it(`of ${type} are described in docs/record.md`, () => {
      expect(fields.filter(({ name }) => !DESCRIPTION.includes(`\`${name}\``))).to.deep.equal([]);
    });
  }
});
