/** `quiver completion SHELL`: prints a script with which a shell completes verbs and options. Other words are files. */
import { UsageError } from '../../machines/errors.js';
import { sharedOptions, verbNames, verbs, type OptionSpec, type Verb, type VerbWork } from '../verbs.js';

const command: VerbWork<'completion'> = async (_, words) => {
  const [shell, ...more] = words;
  const script = scripts[shell ?? ''];
  if (!script || more.length > 0)
    throw new UsageError(`quiver completion needs the name of one shell: ${Object.keys(scripts).join(', ')}`);
  console.log(script());
  return 0;
};

const optionsOf = (verb: Verb): readonly (readonly [string, OptionSpec])[] =>
  Object.entries({ ...verbs[verb].options, ...sharedOptions });

const flagsOf = (verb: Verb): string =>
  optionsOf(verb)
    .map(([name]) => `--${name}`)
    .join(' ');

const bash = (): string => `_quiver() {
  local word="\${COMP_WORDS[COMP_CWORD]}" known=''
  if [ "$COMP_CWORD" = 1 ]; then known='${verbNames.join(' ')} help --help --version'
  else case "\${COMP_WORDS[1]}" in
${verbNames.map((verb) => `    ${verb}) known='${flagsOf(verb)}' ;;`).join('\n')}
  esac; fi
  COMPREPLY=()
  if [ "$COMP_CWORD" = 1 ] || [[ "$word" == -* ]]; then COMPREPLY=( $(compgen -W "$known" -- "$word") ); fi
}
complete -o default -F _quiver quiver`;

const zsh = (): string => `autoload -U +X compinit bashcompinit && compinit -u && bashcompinit\n${bash()}`;

const quoted = (text: string): string => `'${text.replaceAll(/['\\]/g, String.raw`\$&`)}'`;

const fish = (): string =>
  verbNames
    .flatMap((verb) => [
      `complete -c quiver -n __fish_use_subcommand -f -a ${verb} -d ${quoted(verbs[verb].summary)}`,
      ...optionsOf(verb).map(
        ([name, { value, description }]) =>
          `complete -c quiver -n '__fish_seen_subcommand_from ${verb}' -l ${name}${value === undefined ? '' : ' -r'} -d ${quoted(description)}`,
      ),
    ])
    .join('\n');

const scripts: Readonly<Record<string, () => string>> = { bash, zsh, fish };

export default command;
