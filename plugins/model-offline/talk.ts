/** What is said without data: greetings, help, what there is, what a term means. */
import type { MeaningOf } from './lexicon.ts';
import type { Reader } from './read.ts';
import { tokenize } from './tokenize.ts';
import { keyOf, nameWords } from './words.ts';

const GREETING = /^(hi|hello|hey|hey there|hi there|hello there|good (morning|afternoon|evening)|greetings)$/;
const THANKS = /^(thanks|thank you|thank you very much|thanks a lot|great thanks|thx|cheers)$/;
const HELP =
  /^(help|help me|what can (you|i) (answer|do|ask|ask you|ask about|tell me)( about)?|what (questions|kinds of questions|kind of questions) can (you|i) (answer|ask)|how (does this|do you|do i use this) work|who are you|what are you|what do you know|examples|show me examples|give me (some )?examples?)$/;
const SCHEMA =
  /^(what|which|list|show|show me|describe)( all| the| me)*( )?(tables|entities|data|data sets|datasets|schema|database|data model|information)( (are there|is there|do (you|we) have|do you know|are available|is available|exist|can i ask about|can i query|have you got))?$/;
const MEANING =
  /^(?:what (?:does|do|is meant by|is the meaning of|is the definition of) (?:an? |the )?(.+?)(?: mean| stand for)?|what is meant by (.+)|define (.+)|(?:the )?(?:meaning|definition) of (.+)|explain (?:the term )?(.+)|how (?:is|are) (.+?) (?:defined|calculated|computed))$/;

/** The answer to a message that asks for no data; `undefined` when it may ask for some. */
export function smallTalk(
  message: string,
  reader: Reader,
  examples: (about: string) => readonly string[],
): string | undefined {
  const plain = tokenize(message)
    .filter((token) => token.kind !== 'sign')
    .map((token) => token.word)
    .join(' ');
  const entities = [...reader.lexicon.entities.values()];
  const asked = (): string =>
    examples('')
      .map((question) => `- ${question}`)
      .join('\n');
  if (GREETING.test(plain) || HELP.test(plain)) {
    const names = entities
      .slice(0, 12)
      .map((entity) => entity.many)
      .join(', ');
    const more = entities.length > 12 ? ` and ${entities.length - 12} more` : '';
    return `I answer questions about ${names}${more}, from the database, without a language model. For example:\n${asked()}`;
  }
  if (THANKS.test(plain)) return 'You are welcome.';
  if (SCHEMA.test(plain)) {
    const lines = entities
      .slice(0, 40)
      .map((entity) => `- ${entity.name}: ${entity.model.description || entity.model.grain || entity.many}`);
    if (entities.length > 40) lines.push(`- and ${entities.length - 40} more`);
    return `There is data about:\n${lines.join('\n')}`;
  }
  const match = MEANING.exec(plain);
  const subject = match?.slice(1).find((part) => part !== undefined);
  return subject === undefined ? undefined : meaningOf(subject, reader);
}

function meaningOf(subject: string, reader: Reader): string | undefined {
  const meanings = reader.lexicon.phrases.get(keyOf(nameWords(subject))) ?? [];
  const term = meanings.find((meaning): meaning is MeaningOf<'term'> => meaning.kind === 'term');
  if (term) {
    const { definition, meanings: several } = term.term;
    const lines = (several ?? []).map((meaning) =>
      typeof meaning === 'string'
        ? `- ${meaning}`
        : `- ${meaning.name}${meaning.description ? `: ${meaning.description}` : ''}`,
    );
    const text =
      definition ?? (lines.length > 0 ? 'It has several meanings.' : 'The glossary has no definition of it.');
    return [`${term.term.term}: ${text}`, ...lines].join('\n');
  }
  for (const meaning of meanings) {
    if (meaning.kind === 'measure') {
      const text = meaning.metric?.description ?? meaning.measure?.description;
      if (text) return `${subject}: ${text}`;
    }
    if (meaning.kind === 'entity' && meaning.entity.model.description)
      return `${subject}: ${meaning.entity.model.description}`;
    if (meaning.kind === 'dimension' && meaning.dimension.description)
      return `${subject}: ${meaning.dimension.description}`;
    if (meaning.kind === 'segment' && meaning.segment.description) return `${subject}: ${meaning.segment.description}`;
  }
  return undefined;
}
