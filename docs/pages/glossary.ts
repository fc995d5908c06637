/** docs/glossary.md: the words of all answers. */
import { GLOSSARY } from '../../src/record/glossary.js';
import { code, NOTICE, page, table } from './markdown.js';

export const glossaryPage = (): string =>
  page(
    NOTICE,
    '# Glossary',
    'These words mean the same in every command, in its JSON and on the page; `dprof terms WORD` explains one. Times of devices are lengths of unions: activities that run at the same time count once. [Key figures](guide/key-figures.md) explains some of them in more detail.',
    table(
      ['word', 'meaning', 'unit', 'share of', 'formula'],
      GLOSSARY.map(({ term, meaning, unit, shareOf, formula }) => [term, meaning, unit ?? '', shareOf ?? '', formula === undefined ? '' : code(formula)]), // prettier-ignore
    ),
  );
