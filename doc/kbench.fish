# Completion of kbench for fish. `kbench --complete WORD...` knows all of it, from the descriptors of its commands; this file only hands it on.

function __kbench_complete
	set -l words (commandline -opc)
	set -l word (commandline -ct)
	for line in ($words[1] --complete $words[2..-1] "$word" 2>/dev/null)
		switch $line
			case \tfiles
				__fish_complete_path $word
			case \tdirectories
				__fish_complete_directories $word
			case \tcommands
				__fish_complete_command
			case '*'
				echo $line
		end
	end
end

complete -c kbench -f -a '(__kbench_complete)'
