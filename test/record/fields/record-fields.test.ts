import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import type { RecordField } from '../../../src/record/fields/field-types.js';
import { RECORD_FIELDS } from '../../../src/record/fields/record-fields.js';
import { ROOT } from '../../support/shared.js';

const DESCRIPTION = readFileSync(join(ROOT, 'docs/record.md'), 'utf8');
const PATH = join(ROOT, 'src/record/record.ts');

/** A field of an interface, as the compiler knows it. */
interface KnownField {
  readonly name: string;
  readonly optional: boolean;
  readonly nullable: boolean;
}

/** The fields of each type of record but `type`. */
function fieldsByType(): Map<string, KnownField[]> {
  const program = ts.createProgram([PATH], { strict: true, module: ts.ModuleKind.NodeNext, noEmit: true });
  const checker = program.getTypeChecker();
  const alias = program
    .getSourceFile(PATH)
    ?.statements.filter(ts.isTypeAliasDeclaration)
    .find(({ name }) => name.text === 'ProfileLine');
  if (alias === undefined) throw new Error('no ProfileLine');
  const union = checker.getTypeAtLocation(alias.name);
  const members = union.isUnion() ? union.types : [union];
  return new Map(
    members.flatMap((member) => {
      const fields = member.getProperties();
      const type = fields.find(({ name }) => name === 'type');
      const literal = type === undefined ? undefined : checker.getTypeOfSymbol(type);
      // Lines of partial answers have several types and no columns.
      if (literal?.isStringLiteral() !== true) return [];
      const known = fields.map((field): KnownField => {
        const of = checker.getTypeOfSymbol(field);
        const types = of.isUnion() ? of.types : [of];
        return {
          name: field.name,
          optional: (field.flags & ts.SymbolFlags.Optional) !== 0,
          nullable: types.some(({ flags }) => (flags & ts.TypeFlags.Null) !== 0),
        };
      });
      return [[literal.value, known.filter(({ name }) => name !== 'type')] as const];
    }),
  );
}

/** Fields that a line of a kernel, a copy or an instruction may lack, although records have them. */
const namesOf = (fields: readonly RecordField[]): string[] => fields.map(({ name }) => name).sort();

describe('the fields of records', () => {
  const byType = fieldsByType();

  it('are of the types that there are', () => {
    expect(Object.keys(RECORD_FIELDS).sort()).to.deep.equal([...byType.keys()].sort());
  });

  for (const [type, fields] of byType) {
    it(`of ${type} are those of its interface`, () => {
      const listed = RECORD_FIELDS[type as keyof typeof RECORD_FIELDS];
      expect(namesOf(listed)).to.deep.equal(fields.map(({ name }) => name).sort());
      // What no line lacks is no optional field, since it would be absent when read where it is null.
      const required = fields.filter(({ optional }) => !optional).map(({ name }) => name);
      expect(listed.filter(({ optional }) => optional).map(({ name }) => name)).not.to.include.members(required);
      for (const name of required) expect(listed.find((field) => field.name === name)?.optional, name).to.equal(false);
      // What is unknown may be null where the interface says so, and nowhere else.
      for (const { name, nullable } of fields)
        expect(listed.find((field) => field.name === name)?.isValid(null), name).to.equal(nullable);
    });

    it(`of ${type} are described in docs/record.md`, () => {
      expect(fields.filter(({ name }) => !DESCRIPTION.includes(`\`${name}\``))).to.deep.equal([]);
    });
  }
});
