/**
 * The programs that read their words again: they run a command, a program's text or another shell. `reader-row.ts` says
 * what the columns mean. `_` in a name stands for a blank, `SVC_ARG_X` for the variable of the argument.
 *
 * An option that is missing here makes the rules stricter. A program that is missing gets plain words, because only
 * `known-data.ts` allows more.
 */
export const TABLE = `
command sudo | assigns | flags -A -b -E -H -K -k -n -P -S --non-interactive --set-home | options -u -g -h -C -p -r -t -T --user --group --host
command doas | flags -n -L | options -u -a
command env genv | assigns | flags - -i -0 -v --ignore-environment | options -u --unset | code -S --split-string
command timeout gtimeout | operands 1 | flags -v --foreground --preserve-status | options -s -k --signal --kill-after
command nice gnice ionice | flags -t | options -n -c -p --adjustment --class
command nohup gnohup setsid chronic exec command builtin - noglob nocorrect busybox toybox | flags -c -f -w -p -e -v -l
command time gtime | flags -p -v -q -a | options -f -o
command stdbuf gstdbuf | options -i -o -e
command xargs gxargs | flags -0 -r -t -p -x --null --no-run-if-empty | options -n -P -L -d -a -E -s --max-args --max-procs --delimiter | code -I -i -J -R --replace
command chrt taskset flock chroot gosu su-exec setuidgid faketime envdir setlock | operands 1 | flags -s -x -n -a -b -d -f -i -o -r --nonblock | options -w -E --userspec | code --command
command strace ltrace | flags -f -ff -c -q -qq -r -t -tt -T -v -y | options -a -e -P -s -S -u -o
command systemd-run | flags -d -G -q -r -t --user --system --scope --wait --pipe --pty --quiet --collect | options -u -M -E --unit --uid --gid --slice --setenv | code -p --property
command setpriv runuser nsenter unshare sshpass tini dumb-init | input unless | flags -g -v -e --clear-groups --keep-groups --init-groups --no-new-privs | options -u -t -p -f --reuid --regid --groups --user --group --target
command npx pnpx bunx uvx pipx npm_exec npm_x npm_explore pnpm_exec pnpm_dlx yarn_dlx yarn_exec | flags -y -q --yes --no --quiet | options -p --package --from | code -c --call
command proxychains proxychains4 torsocks eatmydata fakeroot dbus-run-session xvfb-run unbuffer rlwrap caffeinate firejail bwrap valgrind numactl
command prlimit cgexec softlimit chpst linux32 linux64 retry with-contenv entr ssh-agent arch poetry_run pipenv_run uv_run bundle_exec rbenv_exec
command pyenv_exec mise_exec mise_x asdf_exec pdm_run hatch_run conda_run doppler_run infisical_run op_run dotenvx_run bun_run bun_x
command direnv_exec ip_exec aws-vault_exec chamber_exec | operands 1
command docker_exec podman_exec nerdctl_exec docker-compose_exec | operands 1 | flags -d -i -t -T --detach --interactive --tty --privileged | options -u -w -e --env --env-file --user --workdir --index
command docker_run docker_create podman_run podman_create nerdctl_run docker-compose_run | operands 1 | images | flags -d -i -t -T -P -q --detach --interactive --tty --rm --init --privileged --read-only | options -a -c -e -h -l -m -p -u -v -w --add-host --cap-add --cap-drop --cpus --device --env --env-file --hostname --label --memory --mount --name --net --network --platform --publish --pull --restart --security-opt --shm-size --tmpfs --ulimit --user --volume --workdir | code --entrypoint --health-cmd --runtime
command kubectl_exec oc_exec kubectl_rsh oc_rsh kubectl_run kubectl_debug | operands 1 | flags -i -t -q --stdin --tty --quiet --rm --attach --command | options -n -c -s -l --namespace --container --context --cluster --image --env --restart --labels | code --overrides --kubeconfig
command pkexec systemd-cat systemd-inhibit runcon capsh cpulimit daemonize dtach abduco hyperfine watchexec nodemon pm2_start forever_start foreman_run
command dotenv env-cmd cross-env concurrently torify gdbserver rr heroku_run flatpak_run mamba_run micromamba_run rye_run pixi_run devbox_run | assigns
command lxc_exec incus_exec crictl_exec buildah_run machinectl_shell | operands 1
remote ssh autossh slogin dbclient | operands 1 | input unless | flags -4 -6 -A -a -C -f -G -g -K -k -M -N -n -q -s -T -t -tt -v -X -x -Y | options -B -b -c -i -l -m -p -W | code -D -E -e -F -I -J -L -O -o -P -Q -R -S -w | fix feed it through standard input, as in printf %s VALUE into ssh HOST COMMAND
remote watch | flags -b -c -d -e -g -t -x | options -n | fix write "$SVC_ARG_X" inside single quotes
code eval . source trap alias hash let coproc bind compgen complete compopt enable fc history read unset mapfile readarray getopts declare typeset
code local readonly export set ! { } [[ - if then else elif fi for while until do done case esac select function
code su sg at batch crontab script screen tmux parallel sem perf setarch tsp wsl | fix write "$SVC_ARG_X" inside single quotes, so that the value is read from the environment
code pwsh powershell deno erl octave gnuplot gp maxima bc dc m4 ed ex vi vim vim.basic vim.tiny nvim view emacs gdb lldb socat emacsclient start-stop-daemon
code run-parts nix-shell nix-env nix mosh rsh rexec lftp ftp git_bisect git_filter-branch git_submodule bun_eval
code ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 ld-musl-x86_64.so.1 ld-musl-aarch64.so.1
code pdsh clush dsh salt salt-call plink pssh parallel-ssh stap bpftrace rails_runner rails_r manage.py_shell artisan_tinker
code yq gojq jaq | fix read strenv(SVC_ARG_X) or env.SVC_ARG_X in the filter
code ansible ansible-playbook ansible-console | fix read lookup('env', 'SVC_ARG_X') in the playbook
program sh bash rbash zsh dash ash ksh mksh lksh oksh yash csh tcsh rksh posh hush osh ysh fish | script | flags -a -b -c -e -f -h -i -l -m -n -u -v -x +e +x --login --norc --noprofile --posix | code -C --command --init-command | fix write "$1" there and pass the value behind it, as in sh -c 'echo "$1"' sh VALUE, or write "$SVC_ARG_X" in single quotes
program python pypy ipython jython | script | flags -b -B -c -d -E -i -I -m -O -OO -P -q -s -S -u -v | fix read os.environ["SVC_ARG_X"] in the program, or pass the value as an argument behind it
program node nodejs tsx ts-node bun | script | rest word | flags -e -i -p -pe --eval --print --no-warnings --enable-source-maps | code -r --require --import --loader --preload --env-file | fix read process.env.SVC_ARG_X in the program, or pass the value as an argument behind it
program perl | script | rest word | flags -0 -a -e -E -i -l -n -p -s -S -T -w -W | code -I -m -M -F -x | fix read $ENV{SVC_ARG_X} in the program
program ruby jruby | script | rest word | flags -e -n -p -w | code -I -r | fix read ENV["SVC_ARG_X"] in the program
program php php-cli | script | flags -r -f -n -q | code -c -d -z | fix read getenv("SVC_ARG_X") in the program
program java | flags -jar -ea | code -cp -classpath | fix read System.getenv("SVC_ARG_X") in the program
program lua luajit raku rscript julia elixir groovy scala osascript ghc runghc swift crystal nim r | script | flags -e --eval
program guile racket tclsh wish expect ocaml sbcl clisp ecl janet | script | flags -c
program awk gawk mawk nawk goawk | rest path | input never | options -F -v | code -f -e -i -l | fix read ENVIRON["SVC_ARG_X"] in the program, or give a file by redirection (awk '…' < FILE)
program sed gsed | rest path | input never | flags -n -E -r -u -z -s -i | code -e -f --expression --file | fix give a file by redirection (sed '…' < FILE), or let a script read $SVC_ARG_X from its environment
program rename prename file-rename | rest path | input never | flags -n -v -f
program jq | rest path | input never | flags -a -c -C -e -j -M -n -r -R -s -S --raw-output --compact-output --null-input --raw-input --slurp --tab | options --indent | code -L -f --from-file | fix write $x there and pass the value with --arg x VALUE before the filter
program sqlite sqlite3 sqlcipher duckdb litecli | operands 1 | rest none | flags -batch -box -column -csv -header -html -json -line -list -markdown -noheader -quote -readonly -table -tabs | options -separator -nullvalue | code -cmd -init | fix let a script that binds it as a parameter read $SVC_ARG_X
program npm_run npm_run-script pnpm_run yarn_run | rest word | input never | flags -s --silent
words npm_test npm_start npm_stop npm_restart pnpm_test yarn_test | rest word
words psql pgcli | rest word | input always | code -c -f -L -o --command --file --log-file --output | fix pass it with -v name=VALUE and write :'name' in a file, or let a script that binds it as a parameter read $SVC_ARG_X
words mysql mariadb mycli | rest word | input always | code -e --execute --init-command --plugin-dir --pager --tee --defaults-file --defaults-extra-file
words mongosh mongo clickhouse clickhouse-client clickhouse-local cqlsh sqlcmd osql isql redis-cli valkey-cli | rest word | input always | code --eval -e -f -q -Q -i --query --queries-file --execute --file
words gcloud_ssh vagrant_ssh fly_ssh flyctl_ssh | rest remote | code --command -c -C --ssh-flag
words make gmake bmake nmake remake | assigns | rest word | input always | code --eval -f --file --makefile -I | fix use "$$SVC_ARG_X" in the recipe, which reads the value from the environment
words docker podman nerdctl docker-compose podman-compose kubectl oc helm npm pnpm yarn | code --config --kubeconfig --overrides --post-renderer
words git_config | rest closed | fix write the key and the value
words git | code -c --config-env --exec --exec-path --extcmd --open-files-in-pager --receive-pack --upload-pack --template -x -O
words tar gtar bsdtar | code --to-command --checkpoint-action --use-compress-program --rsh-command --info-script --new-volume-script -I -F
words scp rsync sftp | rest path | code -e -S -o -F -J --rsh --rsync-path
words sort gsort split gsplit zip | code --compress-program --filter --unzip-command -TT
words wget nc ncat netcat | code --use-askpass --execute --config --exec --sh-exec --lua-exec -e -c
words curl | code --config -K
words fd fdfind rg man tcpdump nmap | code --exec --exec-batch -x -X --pre --hostname-bin --pager --html --preprocessor -P -H -z --script --datadir
words restic rclone borg apt apt-get dpkg cmake | code --option --password-command --config --rsh --remote-path -o --config-file --pre-invoke --post-invoke -P -E -C
words printf wait | code -v -p
words exit return shift break continue ulimit | rest closed | fix declare "type: integer"
`;
