import { Argument, Command } from 'commander';
import type { CallOptions } from '../call/options.ts';
import { type Fields, readCallFields, readRawField } from '../resource/fields.ts';
import { API_KEY_OPTION, withServiceOptions } from '../service/options.ts';

const HELP = `
Examples:
  svc call hello name=Ada
  svc call ada/deploy env=prod
  svc call https://svc.example.com/v1/ada/deploy
  svc call report --json | jq .data
  svc call release ref=main            a pipeline: each line starts with its step
  svc call notify text=@message.txt    the text of a file; text=- is standard input
  svc call pack file=a.txt file=b.txt  a list: the same name more than once
  svc call order count:=3 'items:=[{"id":7}]'
  svc call resize image=@photo.png     to an argument of type file: the file itself, streamed
  svc call restore db=shop < dump.sql  to an endpoint that reads the body: standard input, as it is
  svc call hook @payload.json          a whole JSON object; - is standard input
  id=$(svc call deploy --async)        start it, print its id and do not wait
  svc call deploy env=prod --dry-run   show the request and the command, and run nothing
  svc call notify --raw-field text="$TEXT"            in a script: the text as it is, whatever it begins with
  svc call backup --async --callback https://ci.example.com/done

Values: name=text sends text, name:=json a number, true, false, null, a list or an object. A text that begins with @ names
a file to read, and - is standard input; for a text from elsewhere use --raw-field, which reads neither.

Environment:
  SVC_BASE_URL      the URL of the service (default: the context in use, else http://127.0.0.1:8787)
  SVC_USERNAME      the owner of an endpoint given by name only
  SVC_API_KEY       the API key (default: SVC_ACCESS_TOKEN, else the token of svc login, else the key of svc up here)
  SVC_ACCESS_TOKEN  the access token of a member

Output is printed live and resumes after a broken connection. Ctrl-C stops printing and prints the id: the execution
continues, and svc logs shows it again.

A terminal shows only text and colours: other escape sequences of the output are dropped, unless --raw is given.

Exit codes:
  0-255  the exit code of the command
  1      the command did not run, or has no exit code
  2      bad input
  130    Ctrl-C; the execution continues`;

const NO_VALUES: Fields = { fields: [] };

export function callCommand(): Command {
  const command = new Command('call')
    .argument('<endpoint>', 'a name, username/name or URL')
    .addArgument(
      new Argument(
        '[values...]',
        'arguments as name=text, name:=json, name=@file, name=-; @file or - for all',
      )
        .argParser(readCallFields)
        .default(NO_VALUES, 'none'),
    )
    .option(
      '--raw-field <name=text>',
      'a text that is sent as it is: neither @file nor - is read; may be repeated',
      readRawField,
    )
    .option(
      '--callback <url>',
      'the service posts the end of the execution there; @file for a URL with a secret',
    )
    .option('--async', 'start it, print its id and do not wait')
    .option('--follow', 'print events as they happen: the default, except with --json')
    .option('--dry-run', 'show the request and the command that would run, and call nothing')
    .option(...API_KEY_OPTION)
    .option('--raw', 'print all escape sequences on the terminal, not only colours')
    .option('--json', 'print the result as one JSON object at the end; with --follow one object per event');
  return withServiceOptions(command)
    .addHelpText('after', HELP)
    .action(async (endpoint: string, values: Fields, options: CallOptions) => {
      const { call } = await import('../call/call.ts');
      await call(endpoint, values, options);
    });
}
