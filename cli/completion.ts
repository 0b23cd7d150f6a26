/**
 * `imagecrew completion`: prints a shell script that completes commands, options and choices, built from the commands.
 */
import { Argument, type Command } from 'commander';
import type { Io } from './io.ts';

const SHELLS = ['bash', 'zsh', 'fish'] as const;
type Shell = (typeof SHELLS)[number];

/** A command as the completion scripts need it. */
interface CompletionEntry {
  /** The words that lead to the command, without the program name. Empty for the program itself. */
  path: readonly string[];
  commands: readonly { name: string; meaning: string }[];
  options: readonly CompletedOption[];
  /** Choices of the command's argument. */
  choices: readonly string[];
}

interface CompletedOption {
  flags: readonly string[];
  meaning: string;
  /** Choices of the option's value; empty if any value is allowed, undefined if the option takes no value. */
  choices: readonly string[] | undefined;
}

export function addCompletionCommand(program: Command, io: Io): void {
  program
    .command('completion')
    .description('print what bash, zsh or fish needs to complete the command line')
    .addArgument(new Argument('<shell>', 'which one').choices(SHELLS))
    .addHelpText('after', INSTALL_HELP)
    .action((shell: Shell) => {
      io.out(SCRIPTS[shell](collectCommands(program)));
    });
}

const INSTALL_HELP = `
To have it in every shell, write:
  bash  source <(imagecrew completion bash)    into ~/.bashrc
  zsh   source <(imagecrew completion zsh)     into ~/.zshrc, after compinit
  fish  imagecrew completion fish | source     into ~/.config/fish/config.fish
`;

function collectCommands(command: Command, path: readonly string[] = []): CompletionEntry[] {
  const help = command.createHelp();
  const hidden = command.options.filter((option) => option.hidden);
  const own: CompletionEntry = {
    path,
    commands: help.visibleCommands(command).map((each) => ({
      name: each.name(),
      meaning: firstPart(help.subcommandDescription(each)),
    })),
    options: [...help.visibleOptions(command), ...hidden].map((option) => ({
      flags: [option.short, option.long].filter((flag) => typeof flag === 'string'),
      meaning: firstPart(option.description),
      choices: option.required ? (option.argChoices ?? []) : undefined,
    })),
    choices: command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
  };
  return [own, ...command.commands.flatMap((each) => collectCommands(each, [...path, each.name()]))];
}

const firstPart = (text: string): string => text.split(/[.;:(]/)[0]!.trim();

/** The name of a command in the scripts: a space before each word, so the program itself is the empty string. */
const routeOf = ({ path }: CompletionEntry): string => path.map((word) => ` ${word}`).join('');

const routesOf = (all: readonly CompletionEntry[]): string[] => all.map(routeOf).filter((route) => route !== '');

const flagsOf = ({ options }: CompletionEntry): string[] => options.flatMap(({ flags }) => flags);

/** Puts text in single quotes. bash and zsh have no escapes inside them. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The words that may follow a command, apart from options: its subcommands or the choices of its argument. */
const wordsOf = ({ commands, choices }: CompletionEntry): string[] => [...commands.map(({ name }) => name), ...choices];

/**
 * One `case` branch for every option that takes a value. It completes the choices; without choices it completes files.
 */
function valueBranches(all: readonly CompletionEntry[], answer: (choices: readonly string[]) => string): string {
  return all
    .flatMap((each) =>
      each.options.flatMap(({ flags, choices }) =>
        choices === undefined
          ? []
          : [`    ${flags.map((flag) => quoted(`${routeOf(each)} ${flag}`)).join('|')}) ${answer(choices)}; return ;;`],
      ),
    )
    .join('\n');
}

function bash(all: readonly CompletionEntry[]): string {
  const words = (list: readonly string[]) => `COMPREPLY=($(compgen -W ${quoted(list.join(' '))} -- "$cur"))`;
  return `_imagecrew() {
  local cur=\${COMP_WORDS[COMP_CWORD]} prev=\${COMP_WORDS[COMP_CWORD - 1]} route= i
  COMPREPLY=()
  # The shell takes --format=webp for three words.
  if [[ $cur == = ]]; then cur=
  elif [[ $prev == = ]]; then prev=\${COMP_WORDS[COMP_CWORD - 2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case "$route \${COMP_WORDS[i]}" in
    ${routesOf(all).map(quoted).join('|')}) route="$route \${COMP_WORDS[i]}" ;;
    esac
  done
  case "$route $prev" in
${valueBranches(all, (choices) => (choices.length === 0 ? ':' : words(choices)))}
  esac
  case "$route" in
${all
  .map((each) => {
    const others = wordsOf(each);
    const next = others.length === 0 ? ':' : words(others);
    return `    ${quoted(routeOf(each))}) if [[ $cur == -* ]]; then ${words(flagsOf(each))}; else ${next}; fi ;;`;
  })
  .join('\n')}
  esac
}
complete -o default -F _imagecrew imagecrew
`;
}

function zsh(all: readonly CompletionEntry[]): string {
  const described = (name: string, meaning: string) => quoted(`${name.replaceAll(':', '\\:')}:${meaning}`);
  const files = '_files';
  return `#compdef imagecrew
_imagecrew() {
  local route= cur=\${words[CURRENT]} prev=\${words[CURRENT - 1]}
  local -a found
  local -i i
  if [[ $cur == --*=* ]]; then
    prev=\${cur%%=*}
    compset -P '*='
  fi
  for ((i = 2; i < CURRENT; i++)); do
    case "$route \${words[i]}" in
    ${routesOf(all).map(quoted).join('|')}) route="$route \${words[i]}" ;;
    esac
  done
  case "$route $prev" in
${valueBranches(all, (choices) => (choices.length === 0 ? files : `compadd -- ${choices.map(quoted).join(' ')}`))}
  esac
  case "$route" in
${all
  .map((each) => {
    const options = each.options.flatMap(({ flags, meaning }) => flags.map((flag) => described(flag, meaning)));
    const words = [
      ...each.commands.map(({ name, meaning }) => described(name, meaning)),
      ...each.choices.map((choice) => quoted(choice)),
    ];
    const next = words.length === 0 ? files : `found=(${words.join(' ')}); _describe command found`;
    return `    ${quoted(routeOf(each))}) if [[ $cur == -* ]]; then found=(${options.join(' ')}); _describe -o option found; else ${next}; fi ;;`;
  })
  .join('\n')}
  esac
}
if [[ $funcstack[1] == _imagecrew ]]; then _imagecrew; else compdef _imagecrew imagecrew; fi
`;
}

/** Puts text in single quotes with fish's escapes. */
const fishQuoted = (text: string): string => `'${text.replaceAll(/[\\']/g, '\\$&')}'`;

function fish(all: readonly CompletionEntry[]): string {
  const lines = all.flatMap((each) => {
    const here = `complete -c imagecrew -n ${fishQuoted(`__imagecrew_at ${fishQuoted(routeOf(each))}`)}`;
    const words = [
      ...each.commands.map(({ name, meaning }) => `${here} -f -a ${fishQuoted(name)} -d ${fishQuoted(meaning)}`),
      ...each.choices.map((choice) => `${here} -f -a ${fishQuoted(choice)}`),
    ];
    const options = each.options.map(({ flags, meaning, choices }) => {
      const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
      const value = choices === undefined ? '' : choices.length > 0 ? ` -x -a ${fishQuoted(choices.join(' '))}` : ' -r';
      return `${here} ${names.join(' ')}${value} -d ${fishQuoted(meaning)}`;
    });
    return [...words, ...options];
  });
  return `function __imagecrew_at
    set -l route ''
    for word in (commandline -opc)[2..]
        switch "$route $word"
            case ${routesOf(all).map(fishQuoted).join(' ')}
                set route "$route $word"
        end
    end
    test "$route" = "$argv[1]"
end
${lines.join('\n')}
`;
}

const SCRIPTS: Readonly<Record<Shell, (all: readonly CompletionEntry[]) => string>> = { bash, zsh, fish };
