/** The library: every export says what it is, and docs/api.md has all of them. */
import { expect } from 'chai';
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './support/shared.js';

interface Exported {
  readonly name: string;
  /** The file that declares it, from the repository's root. */
  readonly path: string;
}

const parse = (path: string): ts.SourceFile =>
  ts.createSourceFile(path, readFileSync(join(ROOT, path), 'utf8'), ts.ScriptTarget.Latest, true);

type Named = ts.Statement & { readonly name?: ts.Identifier };

/** Exported declarations of a file by name. */
function declarationsIn(path: string): Map<string, ts.Node> {
  const found = new Map<string, ts.Node>();
  for (const statement of parse(path).statements) {
    if (ts.isVariableStatement(statement)) {
      for (const { name } of statement.declarationList.declarations) found.set(name.getText(), statement);
    } else if ('name' in statement) {
      const { name } = statement as Named;
      if (name !== undefined) found.set(name.text, statement);
    }
  }
  return found;
}

/** What src/index.ts exports, from which file. */
function exportsOf(index: string): Exported[] {
  return parse(index)
    .statements.filter(ts.isExportDeclaration)
    .flatMap(({ exportClause, moduleSpecifier }) => {
      if (moduleSpecifier === undefined || !ts.isStringLiteral(moduleSpecifier)) return [];
      const path = join(dirname(index), moduleSpecifier.text).replace(/\.js$/, '.ts');
      const names =
        exportClause !== undefined && ts.isNamedExports(exportClause)
          ? exportClause.elements.map(({ name }) => name.text)
          : [...declarationsIn(path)].filter(([, node]) => isExported(node)).map(([name]) => name);
      return names.map((name) => ({ name, path }));
    });
}

const isExported = (node: ts.Node): boolean =>
  ts.canHaveModifiers(node) && ts.getModifiers(node)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;

describe('the library', () => {
  const exported = exportsOf('src/index.ts');

  it('says of every export what it is', () => {
    const undocumented = exported.filter(({ name, path }) => {
      const declaration = declarationsIn(path).get(name);
      return declaration === undefined || ts.getJSDocCommentsAndTags(declaration).length === 0;
    });
    expect(undocumented.map(({ name, path }) => `${path}: ${name}`)).to.deep.equal([]);
  });

  it('has every export in docs/api.md', () => {
    const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
    const missing = exported.filter(
      ({ name }) => !new RegExp(`^### ${name}(?:\\(\\)|\\\\?<.*)?$`, 'm').test(page.replaceAll('\\_', '_')),
    );
    expect(
      missing.map(({ name }) => name),
      'npm run docs api',
    ).to.deep.equal([]);
    expect(exported).to.have.length.above(60);
  });
});
